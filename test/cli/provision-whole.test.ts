// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of a set-up document are written so
/**
 * A document is applied entirely or not at all, and never beyond its content: against hubs and commands in their own
 * processes.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { GOOD_PASSWORD } from "../support/access.ts";
import { gatehouse } from "../support/cli.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { compileCache, eventually, Person, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const ACCOUNT = { email: "asha@example.org", name: "Asha Rao", password: GOOD_PASSWORD };
const parse = (text: string) => JSON.parse(text);

/** The command as an installer starts it. */
function command(folder: string, args: readonly string[], stdout: "pipe" | number = "pipe") {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, "scripts/gatehouse.mjs"), ...args, "--data", folder], {
    env: { PATH: process.env.PATH ?? "", ...compileCache },
    stdio: ["ignore", stdout, "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout?.on("data", (chunk) => (out += String(chunk)));
  child.stderr?.on("data", (chunk) => (err += String(chunk)));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, out, err })),
  );
  return { child, ended };
}

function household(rooms: number) {
  return {
    account: ACCOUNT,
    rooms: Array.from({ length: rooms }, (_, n) => ({ name: `Room ${n}` })),
    devices: Array.from({ length: rooms }, (_, n) => ({ id: `plug-${n}`, room: `Room ${n}` })),
    keys: [{ name: "App", scopes: "all" }],
    settings: { "backups.destinations": ["local"], "log.level": "warn" },
  };
}

t.test("a hub killed while applying a document has all of it afterwards, or nothing", async (t) => {
  const folder = testFolder(t, { hub: {}, "setup.json": JSON.stringify(household(60)) });
  const data = join(folder, "hub");
  let wholes = 0;
  let nothings = 0;
  for (let round = 0; round < 3; round++) {
    const hub = await startHubProcess(data);
    t.teardown(() => hub.kill());
    const file = join(folder, `round-${round}.json`);
    const rooms = Array.from({ length: 400 }, (_, n) => ({ name: `${round}-${n}` }));
    const devices = rooms.map(({ name }) => ({ id: `plug-${name}`, room: name }));
    writeFileSync(
      file,
      JSON.stringify({
        account: ACCOUNT,
        rooms: rooms.slice(0, 60),
        devices,
        settings: { "telemetry.rawDays": 31 + round },
      }),
    );
    const { ended } = command(data, ["provision", file]);
    // Before the document arrives, while it is applied, and after: the loop is blocked meanwhile.
    const log = join(data, "gatehouse.db-wal");
    const size = (): number => (existsSync(log) ? readFileSync(log).length : 0);
    const before = size();
    if (round % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 250 + round * 40));
    else {
      // A log that has been moved into the database is overwritten in place and does not grow: then the kill comes
      // after the answer.
      let isAnswered = false;
      void ended.then(() => {
        isAnswered = true;
      });
      await eventually(() => isAnswered || size() > before + (round % 3) * 40_000, 20_000);
    }
    await hub.kill();
    await ended;
    const after = await startHubProcess(data);
    const found = await gatehouse(data, ["devices", "list", "--json"]);
    const names: string[] = found.code === 0 ? parse(found.out).devices.map(({ id }: { id: string }) => id) : [];
    const mine = names.filter((id) => id.startsWith(`plug-${round}-`)).length;
    t.ok(mine === 0 || mine === 400, `round ${round}: ${mine} of 400 devices`);
    const settings = existsSync(join(data, "gatehouse.json"))
      ? parse(readFileSync(join(data, "gatehouse.json"), "utf8"))
      : {};
    t.equal(settings.telemetry?.rawDays === 31 + round, mine === 400, "and the settings with them");
    if (mine === 0) nothings += 1;
    else wholes += 1;
    await after.stop();
  }
  t.comment(`${wholes} complete, ${nothings} empty`);
  t.ok(wholes + nothings === 3);
});

t.test(
  "secrets that could not be printed are shown by the next call, even if the hub was killed between",
  async (t) => {
    const folder = testFolder(t, { hub: {}, "setup.json": JSON.stringify(household(2)) });
    const data = join(folder, "hub");
    const full = await command(data, ["provision", join(folder, "setup.json")], openSync("/dev/full", "w")).ended;
    t.match(full, { code: 1, err: /could not be printed .*ENOSPC[\s\S]*Nothing is lost/ });
    const hub = await startHubProcess(data);
    await hub.kill();
    const next = await command(data, ["provision", join(folder, "setup.json")]).ended;
    t.equal(next.code, 0, next.err);
    const { changed, keys, earlier } = parse(next.out);
    t.same([changed, keys[0].secret], [false, null], "nothing is made twice");
    t.match(earlier, [{ keys: [{ secret: /^gth_live_/ }], devices: [{ password: /^[0-9A-Za-z]{32}$/ }, {}] }]);
    const third = await command(data, ["provision", join(folder, "setup.json")]).ended;
    t.notOk(third.out.includes("earlier") || third.out.includes(earlier[0].keys[0].secret), "shown once");

    const running = await startHubProcess(data);
    const answer = await fetch(`${running.url}/v1/devices`, {
      headers: { authorization: `Bearer ${earlier[0].keys[0].secret}` },
    });
    t.equal(answer.status, 200, "and it is the key that works");
    await running.stop();
  },
);

t.test("the owner's password, second factor and sessions stay, unless a reset is requested by name", async (t) => {
  const data = testFolder(t);
  const hub = await startHubProcess(data);
  const person = new Person(hub.url);
  await person.claim(hub.claimCode ?? "");
  const file = join(data, "setup.json");
  writeFileSync(
    file,
    JSON.stringify({ account: { ...ACCOUNT, password: "quite another password 9" }, site: { name: "Hill House" } }),
  );
  const first = await gatehouse(data, ["provision", file]);
  t.equal(first.code, 0, first.err);
  t.match(parse(first.out), {
    changed: true,
    account: { change: "none", passwordReset: false },
    site: { name: /^Hill House$/, change: "changed" },
  });
  t.equal((await person.call("GET", "/api/sessions")).status, 200, "the session stays valid");
  const audit = async (): Promise<number> =>
    (await person.call<{ entries: unknown[] }>("GET", "/api/audit")).body.entries?.length ?? 0;
  const entries = await audit();
  const again = await gatehouse(data, ["provision", file]);
  t.match(again, { code: 0, err: /Nothing has changed/ });
  t.equal(await audit(), entries, "not even a line in the audit");

  const dry = await gatehouse(data, ["provision", file, "--dry-run", "--reset-owner-password"]);
  t.match(parse(dry.out), { changed: true, account: { change: "changed", passwordReset: true } });
  t.equal((await person.call("GET", "/api/sessions")).status, 200, "a dry run stores nothing");
  const reset = await gatehouse(data, ["provision", file, "--reset-owner-password"]);
  t.match(parse(reset.out), { changed: true, account: { passwordReset: true } });
  t.equal((await person.call("GET", "/api/sessions")).status, 401);
  const signIn = await new Person(hub.url).call("POST", "/api/session", {
    email: ACCOUNT.email,
    password: "quite another password 9",
  });
  t.equal(signIn.status, 200);
  t.match(
    parse((await gatehouse(data, ["provision", file, "--reset-owner-password"])).out),
    { changed: false },
    "the same password is not a reset",
  );
  await hub.stop();
});

t.test("a dry run shows what would be made, and no new secrets", async (t) => {
  const data = testFolder(t);
  const dry = await gatehouse(data, ["provision", "-", "--dry-run"], { input: JSON.stringify(household(3)) });
  t.equal(dry.code, 0, dry.err);
  t.match(parse(dry.out), {
    changed: true,
    counts: { made: 8 },
    devices: [{ change: "made", password: null }, {}, {}],
    keys: [{ secret: null }],
  });
  const real = await gatehouse(data, ["provision", "-"], { input: JSON.stringify(household(3)) });
  t.match(parse(real.out), { counts: { made: 8 } });
});

t.test("a command that creates no hub reports a missing one", async (t) => {
  const folder = testFolder(t, { empty: {} });
  for (const args of [
    ["devices", "list"],
    ["keys", "list"],
    ["webhooks", "list"],
    ["export"],
    ["backup", join(folder, "b")],
    ["reset-owner"],
  ]) {
    t.match(
      await gatehouse(folder, [...args, "--data", join(folder, "nowhere")]),
      { code: 1, err: /There is no folder .*nowhere/ },
      args.join(" "),
    );
    t.match(
      await gatehouse(folder, [...args, "--data", join(folder, "empty")]),
      { code: 1, err: /There is no hub in .*empty/ },
      args.join(" "),
    );
  }
  t.notOk(existsSync(join(folder, "nowhere")) || existsSync(join(folder, "empty", "gatehouse.db")), "and creates none");
  mkdirSync(join(folder, "new"));
  t.equal(
    (
      await gatehouse(folder, ["provision", "-", "--data", join(folder, "new", "hub")], {
        input: JSON.stringify({ account: ACCOUNT }),
      })
    ).code,
    0,
  );
});

t.test(
  "variables come from arguments, a file and the environment; their errors are reported at their place",
  async (t) => {
    const folder = testFolder(t, { "vars.json": JSON.stringify({ NAME: "file", PLACE: { name: "x" }, CAP: 7 }) });
    const input = JSON.stringify({
      account: ACCOUNT,
      site: { name: "${NAME} ${HOUSE} $$ $5 $${NAME}", capacity: "${CAP}" },
    });
    const run = (args: readonly string[], text = input) =>
      gatehouse(folder, ["provision", "-", "--json", ...args], {
        input: text,
        env: { GW_HOUSE: "environment", GW_NAME: "environment", HOUSE: "no" },
      });
    const made = await run(["--vars", join(folder, "vars.json"), "--env-prefix", "GW_", "--var", "CAP=9"]);
    t.equal(made.code, 0, made.err);
    t.hasStrict(parse(made.out).site, { name: "file environment $ $5 ${NAME}", capacity: 9 });
    const unset = await run(["--var", "NAME=a", "--var", "CAP=1"]);
    t.match(parse(unset.err).error, {
      message: /site\/name: the variable HOUSE has no value/,
      details: [{ field: /^\/site\/name$/, code: /^unset$/ }],
    });
    const wrong = (text: string) =>
      run(["--vars", join(folder, "vars.json")], JSON.stringify({ account: ACCOUNT, rooms: [{ name: text }] }));
    for (const text of ["${1}", "${NAME", "${}", "a ${PLACE}"])
      t.match((await wrong(text)).err, /"field":"\/rooms\/0\/name"/, text);
    t.match(await run(["--var", "nothing"]), { code: 2, err: /NAME=VALUE/ });
    t.match(await run(["--env-prefix", ""]), { code: 2, err: /needs a prefix/ });
  },
);
