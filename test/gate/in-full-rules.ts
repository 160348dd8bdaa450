/** Plate rules and guests' passes: what they take, refuse and tell. */

import { Problem } from "../../src/core/kernel/problem.ts";
import type { RuleWindow } from "../../src/core/plates/decide.ts";
import type { Master } from "../../src/core/plates/masters.ts";
import type { Recorded } from "../support/recorded.ts";
import { type Premises, rows } from "./premises.ts";

const [PLATE, OTHER] = ["MH12AB1234", "KA01AB2222"] as const;
const BY = "session:1";
const MINUTE = 60_000;
const DAY = 86_400_000;
const ALL_DAY: RuleWindow = { days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "00:00" };

export const ruleScenarios: Readonly<Record<string, (r: Recorded, p: Premises) => Promise<void>>> = {
  async rules(r, p) {
    const { siteId, testSiteId, rules } = p;
    const now = p.clock.now();
    await r.step("a rule with nothing said", () => rules.create(siteId, { plate: "mh 12-ab 1234" }, BY));
    await r.step("one with everything said", () =>
      rules.create(
        siteId,
        {
          plate: PLATE,
          kind: "deny",
          label: ` ${"é".repeat(80)} `,
          deviceId: "camera-in",
          validFrom: now,
          validTo: now + 1,
          windows: [{ days: [7, 1, 7], from: "22:00", to: "06:00" }, ALL_DAY],
          enabled: false,
        },
        BY,
      ),
    );
    for (const [name, more] of Object.entries({
      "the same again": {},
      "the same for the camera again": { deviceId: "camera-in" },
      "no plate": { plate: "hello" },
      "a gate for a camera": { deviceId: "gate" },
      "another household's camera": { deviceId: "camera-test" },
      "no device": { deviceId: "nothing" },
      "no time between": { validFrom: now, validTo: now },
      "a label too long": { label: "x".repeat(81) },
      "no days": { windows: [ALL_DAY, { ...ALL_DAY, days: [] }] },
      "no time in a window": { windows: [{ ...ALL_DAY, from: "07:00", to: "07:00" }] },
      "fifteen windows": { windows: Array.from({ length: 15 }, () => ALL_DAY) },
    }))
      await r.step(name, () => rules.create(siteId, { plate: PLATE, ...more }, BY));
    await r.step("fourteen windows", () =>
      rules.create(siteId, { plate: OTHER, windows: Array.from({ length: 14 }, () => ALL_DAY) }, BY),
    );
    await r.step("an edit of nothing", () => rules.edit(siteId, 2, {}, BY));
    await r.step("an edit of all", () =>
      rules.edit(
        siteId,
        2,
        { kind: "watch", label: "Rao", validFrom: null, validTo: null, windows: [], enabled: true },
        BY,
      ),
    );
    await r.step("an edit to no time", () => rules.edit(siteId, 2, { validFrom: 5, validTo: 5 }, BY));
    await r.step("an edit of nobody's", () => rules.edit(siteId, 99, {}, BY));
    await r.step("a removal", () => rules.remove(siteId, 2, BY));
    await r.step("a removal of another household's", () => rules.remove(testSiteId, 1, BY));
    await r.step("an export", () => rules.export(siteId));
    await r.step("an import", () =>
      rules.import(testSiteId, [{ plate: PLATE }, { plate: "?" }, { plate: PLATE }, { plate: OTHER, label: "B" }], BY),
    );
    await r.step("what stands", () => [rules.list(siteId), rules.list(testSiteId), rows(p, "plate_rule")]);
    p.database.raw.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4997)
      INSERT INTO plate_rule (site_id, plate, formatted, kind, label, enabled, hits, created_at)
      SELECT ${siteId}, 'X' || n, 'X' || n, 'allow', '', 1, 0, 0 FROM n`);
    await r.step("the five thousandth", () => rules.create(siteId, { plate: "DL8CAF5031" }, BY));
    await r.step("one more", () => rules.create(siteId, { plate: "DL8CAF5032" }, BY));
    await r.step("one of another household", () => rules.create(testSiteId, { plate: "DL8CAF5032" }, BY));
  },

  async "rules that other hubs have a say in"(r, p) {
    const { siteId, testSiteId, rules } = p;
    const asked: unknown[] = [];
    let isTheirs = true;
    const insert = (draft: Parameters<typeof p.tables.rules.insert>[0], master: Master) =>
      p.database.write(() => p.tables.rules.insert(draft, { master, passId: null }));
    rules.share(
      {
        isReached: true,
        create: async (draft, by) => {
          asked.push(["create", draft, by]);
          if (draft.label === "faster") throw new Problem("conflict", "Another hub was faster.");
          return insert(draft, by);
        },
        update: async (rule, by) => {
          asked.push(["update", rule, by]);
          if (isTheirs) await p.database.write(() => p.tables.rules.update(rule, { master: by, passId: null }));
          return isTheirs;
        },
        remove: async (id, by) => {
          asked.push(["remove", id, by]);
          const rule = p.tables.rules.find(siteId, id);
          if (isTheirs && rule !== null)
            await p.database.write(() => p.tables.rules.remove(rule, { master: by, passId: null }));
          return isTheirs;
        },
      },
      () => siteId,
    );
    await r.step("whose they are", () =>
      [
        [siteId, null],
        [siteId, "camera-in"],
        [testSiteId, null],
      ].map(([site, device]) => rules.isShared(Number(site), device === null ? null : String(device))),
    );
    await r.step("one for all cameras", () => rules.create(siteId, { plate: PLATE, label: "A" }, BY));
    await r.step("the same again", () => rules.create(siteId, { plate: PLATE }, BY));
    await r.step("one for a camera", () => rules.create(siteId, { plate: PLATE, deviceId: "camera-in" }, BY));
    await r.step("one of another household", () => rules.create(testSiteId, { plate: PLATE }, BY));
    await r.step("an edit", () => rules.edit(siteId, 1, { label: "B" }, BY));
    await r.step("an edit of a camera's", () => rules.edit(siteId, 2, { label: "C" }, BY));
    await r.step("an import", () =>
      rules.import(siteId, [{ plate: OTHER }, { plate: "?" }, { plate: "DL8CAF5031", label: "faster" }], BY),
    );
    await r.step("an import of a failure", () => {
      rules.share(
        {
          isReached: true,
          create: () => Promise.reject(new Error("broken")),
          update: async () => false,
          remove: async () => false,
        },
        () => siteId,
      );
      return rules.import(siteId, [{ plate: "DL8CAF5031" }], BY);
    });
    isTheirs = false;
    await r.step("an edit of one that is this hub's alone", () => rules.edit(siteId, 1, { kind: "deny" }, BY));
    await r.step("its removal", () => rules.remove(siteId, 1, BY));
    await r.step("what was asked", () => [asked, rules.list(siteId)]);
  },

  async "passes for guests"(r, p) {
    const { siteId, passes, clock } = p;
    const pass = {
      label: " Ravi ",
      plate: null as string | null,
      deviceId: null,
      validFrom: null as number | null,
      validTo: clock.now() + 60 * MINUTE,
      windows: [] as readonly RuleWindow[],
      guestMayTellPlate: true,
    };
    const tokens: string[] = [];
    const give = async (more: Partial<typeof pass>) => {
      const { pass: given, token } = await passes.create(siteId, { ...pass, ...more }, BY);
      tokens.push(token);
      return given;
    };
    const YEAR = 366 * DAY;
    for (const [name, more] of Object.entries({
      "no name": { label: " " },
      "over already": { validTo: clock.now() },
      "too long": { validTo: clock.now() + YEAR + 1 },
      "over before it begins": { validFrom: pass.validTo },
      "no plate": { plate: "?" },
      "no window": { windows: [{ ...ALL_DAY, days: [8] }] },
    }))
      await r.step(name, () => give(more));
    await r.step("as long as there may be", () =>
      give({ validTo: clock.now() + YEAR, plate: OTHER, guestMayTellPlate: false }),
    );
    await r.step("as short", () => give({ validFrom: pass.validTo - 1, windows: [ALL_DAY] }));
    await r.step("an open one", () => give({}));
    await r.step("a listed plate", () => give({ plate: OTHER }));
    const [long = "", short = "", open = ""] = tokens;
    let address = 0;
    const look = (token: string) => passes.look(token, `10.0.0.${++address}`);
    const tell = (token: string, plate: string) => passes.tellPlate(token, plate, `10.0.1.${++address}`);
    await r.step("seen by the guest", () => look(long));
    clock.advance(1000);
    await r.step("seen again", () => look(long));
    await r.step("no link", () => look("x"));
    await r.step("it may not be told", () => tell(long, PLATE));
    await r.step("told", () => tell(open, "mh12ab1234"));
    await r.step("told what is listed", () => tell(open, OTHER));
    await r.step("told nothing", () => tell(open, "?"));
    await r.step("told the same", () => tell(open, PLATE));
    await r.step("told too often", () => tell(open, "DL8CAF5031"));
    await r.step("told for later", () => tell(short, "DL8CAF5031"));
    await r.step("a new link", async () => {
      const renewed = await passes.renewLink(siteId, 3, BY);
      return [await look(renewed), await look(open).catch(String)];
    });
    await r.step("a new link for none", () => passes.renewLink(p.testSiteId, 3, BY));
    await p.rules.edit(siteId, p.passes.list(siteId).find(({ id }) => id === 1)?.ruleId ?? 0, { enabled: false }, BY);
    await r.step("its rule is off", () => look(long));
    await r.step("all of them", () => passes.list(siteId));
    await r.step("of another household", () => passes.list(p.testSiteId));
    await r.step("taken back", () => passes.revoke(siteId, 1, BY));
    await r.step("taken back again", () => passes.revoke(siteId, 1, BY));
    clock.advance(60 * MINUTE - 1001);
    await r.step(
      "a moment before its end",
      () => [p.passes.list(siteId).map(({ ended }) => ended), look(short).then(({ holdsNow }) => holdsNow)][0],
    );
    clock.advance(1);
    await r.step("at its end", () => look(short));
    await r.step("a new link then", () => passes.renewLink(siteId, 2, BY));
    clock.advance(7 * DAY);
    await r.step("a week later", async () => [await passes.sweep(), passes.list(siteId).map(({ id }) => id)]);
    clock.advance(1);
    await r.step("and a moment", async () => [await passes.sweep(), passes.list(siteId), p.rules.list(siteId)]);
    await r.step("calls of one address", async () => {
      for (let n = 0; n < 15; n++) await passes.look("x", "10.9.9.9").catch(() => undefined);
      return passes.look("x", "10.9.9.9");
    });
    p.database.raw.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 199)
      INSERT INTO guest_pass (site_id, token_hash, label, valid_to, tries_left, created_at, created_by)
      SELECT ${siteId}, 'X' || n, '', ${clock.now() + DAY}, 0, 0, '' FROM n`);
    const last = { validTo: clock.now() + DAY };
    await r.step("the two hundredth", () => give(last));
    await r.step("one more", () => give(last));
  },
};
