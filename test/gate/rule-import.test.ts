/** Long lists of plate rules: what is said of each line, and that nothing else waits for them. */
import { setImmediate } from "node:timers/promises";
import t from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import type { NewRule } from "../../src/features/gate/plate-rules.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

const BY = "session:1";

const plate = (at: number): string => `MH12AB${1_000 + at}`;
const list = (count: number): NewRule[] => Array.from({ length: count }, (_, at) => ({ plate: plate(at) }));

/** What a caller is told of a list. */
function told({ added, refused }: Awaited<ReturnType<Premises["rules"]["import"]>>) {
  return {
    added: added.map(({ id: _own, ...rule }) => rule),
    refused: refused.map(({ index, plate, problem: { code, message, details, fields } }) => ({
      ...{ index, plate, code, message, details, fields },
    })),
  };
}

t.test("a rehearsal says of every line what the import then does", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.rules.create(p.siteId, { plate: plate(7), kind: "deny" }, BY);
  await p.rules.create(p.siteId, { plate: plate(8), deviceId: "camera-in" }, BY);
  const nasty: NewRule[] = Array.from({ length: 330 }, (_, at): NewRule => {
    const one = { plate: plate(at), label: `  ${at} ` };
    switch (at % 11) {
      case 1:
        return {
          ...one,
          plate: plate(at - 1)
            .toLowerCase()
            .replace("12", " 12 "),
          kind: "watch",
        };
      case 2:
        return { ...one, plate: ["", "?", "no plate", "x".repeat(32), "\u0000"][at % 5] ?? "" };
      case 3:
        return { ...one, label: "é".repeat(81) };
      case 4:
        return { ...one, validFrom: 5, validTo: at % 2 === 0 ? 5 : 6 };
      case 5:
        return { ...one, deviceId: ["camera-in", "gate", "camera-test", "nobody"][at % 4] ?? null };
      case 6:
        return { plate: plate(at - 1), deviceId: "camera-in" };
      case 7:
        return { ...one, plate: plate(at % 3 === 0 ? 7 : 8), deviceId: at % 2 === 0 ? "camera-in" : null };
      case 8:
        return { ...one, windows: [{ days: [1], from: "08:00", to: at % 2 === 0 ? "08:00" : "09:00" }] };
      case 9:
        return { ...one, plate: plate(0) }; // of the first slice, seen in every other
      default:
        return { ...one, enabled: at % 2 === 0, earns: "note" };
    }
  });
  const rowsBefore = p.rules.list(p.siteId);
  const audits = p.audits.length;
  const looked = told(await p.rules.import(p.siteId, nasty, BY, { isRehearsal: true }));
  t.same(p.rules.list(p.siteId), rowsBefore);
  t.equal(p.audits.length, audits);
  const done = told(await p.rules.import(p.siteId, nasty, BY));
  t.same(looked, done);
  t.equal(done.added.length + done.refused.length, nasty.length);
  t.ok(new Set(done.refused.map(({ code }) => code)).size >= 4, "many kinds of refusals");
  t.equal(p.rules.list(p.siteId).length, rowsBefore.length + done.added.length);
  t.equal(p.audits.length, audits + done.added.length);
  await p.close();
});

t.test("both end at the same line where there is no room for more", async (t) => {
  const p = await Premises.open(testFolder(t));
  p.database.raw.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4920)
    INSERT INTO plate_rule (site_id, plate, formatted, kind, label, enabled, hits, created_at)
    SELECT ${p.siteId}, 'X' || n, 'X' || n, 'allow', '', 1, 0, 0 FROM n`);
  const lines = list(130);
  const looked = told(await p.rules.import(p.siteId, lines, BY, { isRehearsal: true }));
  const done = told(await p.rules.import(p.siteId, lines, BY));
  t.same(looked, done);
  t.equal(done.added.length, 80);
  t.hasStrict(done.refused[0], { index: 80, code: "limit_reached" });
  t.equal(p.rules.list(p.siteId).length, 5_000);
  await p.close();
});

t.test("a rehearsal is no job, and everything else has turns in it", async (t) => {
  const p = await Premises.open(testFolder(t));
  const jobs = p.database.figures.jobs;
  let isOver = false;
  let turns = 0;
  const counted = (async () => {
    while (!isOver) {
      await setImmediate();
      turns += 1;
    }
  })();
  const looked = await p.rules.import(p.siteId, list(500), BY, { isRehearsal: true });
  isOver = true;
  await counted;
  t.equal(looked.added.length, 500);
  t.equal(p.database.figures.jobs, jobs);
  t.ok(turns >= 9, `${turns} turns in ten slices`);
  await p.close();
});

t.test("other jobs come between the slices of an import", async (t) => {
  const p = await Premises.open(testFolder(t));
  const stood: number[] = [];
  let isOver = false;
  const others = (async () => {
    while (!isOver) stood.push(await p.database.write(() => p.tables.rules.count(p.siteId)));
  })();
  await p.rules.import(p.siteId, list(500), BY);
  isOver = true;
  await others;
  const between = new Set(stood.filter((count) => count > 0 && count < 500));
  t.ok(between.size >= 8, `a job saw it at ${[...between].join(", ")}`);
  t.ok(
    [...between].every((count) => count % 50 === 0),
    "each slice is there as a whole",
  );
  await p.close();
});

t.test("rights are asked again in each slice: what was added by then stays and is told", async (t) => {
  const p = await Premises.open(testFolder(t));
  const until = (slices: number) => () => {
    slices -= 1;
    if (slices < 0) throw new Problem("forbidden", "That takes a gatekeeper.");
  };
  for (const isRehearsal of [true, false])
    await t.rejects(p.rules.import(p.siteId, list(120), BY, { askAgain: until(0), isRehearsal }), {
      code: /^forbidden$/,
    });
  await t.rejects(p.rules.import(p.siteId, list(120), BY, { askAgain: until(2), isRehearsal: true }), {
    code: /^forbidden$/,
  });
  t.same(p.rules.list(p.siteId), []);
  const { added, refused } = await p.rules.import(p.siteId, list(120), BY, { askAgain: until(2) });
  t.equal(added.length, 100);
  t.equal(p.rules.list(p.siteId).length, 100);
  t.same(
    refused.map(({ index, plate: given, problem }) => [index, given, problem.code]),
    Array.from({ length: 20 }, (_, at) => [100 + at, plate(100 + at), "forbidden"]),
  );
  await t.rejects(
    p.rules.import(p.siteId, list(100), BY, { askAgain: until(1) }),
    { code: /^forbidden$/ },
    "nothing was added: it is refused as a whole",
  );
  await p.close();
});

t.test("of each household one list is gone through at a time, and nobody keeps the others waiting", async (t) => {
  const p = await Premises.open(testFolder(t));
  const ended: string[] = [];
  let underWay = 0;
  const look = (name: string, from: string, siteId = p.siteId) => {
    let slices = 0;
    const askAgain = () => {
      slices += 1;
      if (siteId !== p.siteId) return;
      if (slices === 1) underWay += 1;
      if (underWay !== 1) throw new Error("two at once");
      if (slices === 3) underWay -= 1;
    };
    return p.rules.import(siteId, list(150), BY, { askAgain, isRehearsal: true, from }).then(() => ended.push(name));
  };
  const running = [look("1", "account:1"), look("2", "account:1"), look("3", "account:1")];
  await t.rejects(look("4", "account:1"), { code: /^rate_limited$/, fields: { retryAfterSeconds: 5 } });
  running.push(look("5", "account:2"), look("another household's", "account:3", p.testSiteId));
  await Promise.all(running);
  t.same(
    ended.filter((name) => name !== "another household's"),
    ["1", "2", "3", "5"],
  );
  t.ok(ended.indexOf("another household's") < 2, "which waits for none of these");
  await look("6", "account:1");
  t.equal(ended.at(-1), "6", "there is room again");
  await p.close();
});
