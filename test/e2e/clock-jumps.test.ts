/**
 * A machine's clock that jumps by decades and back, with restarts between: the household's history stays complete and
 * in its place.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { TimedClock, type Timer } from "../../src/core/kernel/clock.ts";
import { GOOD_PASSWORD } from "../support/access.ts";
import { send } from "../support/api-client.ts";
import { type ConsoleHub, startConsoleHub } from "../support/console-hub.ts";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const DAY = 86_400_000;
/** A minute of the hub passes in a second, so that its first sweeps come soon. */
const SPEED = 60;

/** A machine whose wall clock jumps on command. */
class Machine extends TimedClock {
  readonly #startWall = Date.now();
  readonly #startMono = performance.now();
  offsetMs = 0;

  now(): number {
    return Math.round(this.#startWall + this.mono() + this.offsetMs);
  }

  certain(): number {
    return this.now();
  }

  mono(): number {
    return (performance.now() - this.#startMono) * SPEED;
  }

  protected wake(ms: number, task: () => void): Timer {
    const handle = setTimeout(task, ms / SPEED).unref();
    return { stop: () => clearTimeout(handle) };
  }
}

/** Every picture and every backup in the folder, with its content. */
function files(folder: string): string[] {
  return ["plates", "backups"].flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, encoding: "utf8" })
      .map((name) => join(part, name))
      .filter((name) => statSync(join(folder, name)).isFile())
      .map(
        (name) =>
          `${name} ${createHash("sha256")
            .update(readFileSync(join(folder, name)))
            .digest("hex")}`,
      )
      .sort(),
  );
}

/** Everything that could be lost or misplaced, by table. */
function history({ hub, dataFolder }: ConsoleHub): Record<string, unknown[]> {
  const all = (sql: string): unknown[] => hub.base.database.raw.prepare(sql).all();
  const ours = "site_id = (SELECT id FROM site WHERE env = 'live')"; // the simulated household lives on
  return {
    reads: all(`SELECT id, plate, at FROM plate_read WHERE ${ours} ORDER BY id`),
    pictures: all(
      `SELECT read_id, at FROM plate_image WHERE read_id IN (SELECT id FROM plate_read WHERE ${ours}) ORDER BY read_id`,
    ),
    visits: all(`SELECT plate, status, entry_at, exit_at FROM visit WHERE ${ours} ORDER BY id`),
    vehicles: all(`SELECT plate, first_seen, last_seen FROM vehicle WHERE ${ours} ORDER BY plate`),
    feed: all(`SELECT id, title, at FROM feed_item WHERE kind = 'device.event' AND ${ours} ORDER BY id`),
    audit: all("SELECT id, at FROM audit WHERE action = 'test.noted' ORDER BY id"),
    sessions: all("SELECT id, created_at, expires_at FROM session ORDER BY id"),
    backups: all("SELECT id, at FROM backup ORDER BY id"),
    files: files(dataFolder).filter(
      (name) => !name.startsWith("plates") || ourPictures(hub).has(Number(/(\d+)\.jpg/.exec(name)?.[1])),
    ),
  };
}

function ourPictures(hub: ConsoleHub["hub"]): ReadonlySet<number> {
  const sql =
    "SELECT read_id FROM plate_image JOIN plate_read ON plate_read.id = read_id WHERE site_id = (SELECT id FROM site WHERE env = 'live')";
  return new Set(hub.base.database.raw.prepare<[], number>(sql).pluck().all());
}

/** The given number of camera passes, written straight into the tables, with the household's activity in between. */
async function record({ hub, dataFolder }: ConsoleHub, name: string, times: readonly number[]): Promise<void> {
  const site = hub.access.accounts.sites().find(({ env }) => env === "live");
  if (site === undefined) throw new Error("no household");
  const ids = await hub.base.database.write(() => {
    const read = hub.base.database.raw.prepare(
      `INSERT INTO plate_read (site_id, device_id, capture_id, plate, formatted, seen_text, plate_kind, confidence, votes, samples, status, decision,
         direction, opens_visit, trigger, at, last_at, stored_at)
       VALUES (?, 'camera-in', ?, ?, ?, ?, 'standard', 95, 1, 1, 'recognised', 'allow', ?, 1, 'motion', ?, ?, ?)`,
    );
    const picture = hub.base.database.raw.prepare("INSERT INTO plate_image (read_id, bytes, at) VALUES (?, 10, ?)");
    return times.map((at, n) => {
      const plate = `MH12${name}${1000 + Math.floor(n / 2)}`;
      const capture = Number(hub.base.database.raw.prepare("SELECT count(*) FROM plate_read").pluck().get()) + 1;
      const { lastInsertRowid } = read.run(
        site.id,
        capture,
        plate,
        plate,
        plate,
        n % 2 === 0 ? "in" : "out",
        at,
        at,
        at,
      );
      picture.run(lastInsertRowid, at);
      hub.gate.visitMatcher.repair(site.id, [plate], at);
      hub.feed.feed.record({
        siteId: site.id,
        kind: "device.event",
        deviceId: null,
        title: `${name} ${n}`,
        body: "",
        at,
      });
      hub.access.audit.record({
        accountId: site.accountId,
        actor: "test",
        action: "test.noted",
        target: `${name} ${n}`,
        at,
      });
      return Number(lastInsertRowid);
    });
  });
  for (const id of ids) {
    const file = join(dataFolder, "plates", String(Math.floor(id / 1000)), `${id}.jpg`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `picture ${id}`);
  }
}

/** A month of a household with a camera. */
async function live(house: ConsoleHub): Promise<void> {
  const { hub, call } = house;
  await call("POST", "/api/devices", { id: "camera-in", name: "Camera", type: "camera" });
  const now = Date.now();
  await record(
    house,
    "AB",
    Array.from({ length: 200 }, (_, n) => now - 28 * DAY + n * 10_000_000),
  );
  const { status } = await call("POST", "/api/backups", {});
  if (status >= 300) throw new Error(`backup: ${status}`);
  await eventually(
    () => (hub.base.database.raw.prepare("SELECT 1 FROM backup").get() === undefined ? undefined : true),
    20_000,
  );
}

/**
 * Activity while the machine's clock is wrong: two passes, a device message, a line of the audit log, a sign-in and a
 * backup.
 */
async function liveOn(house: ConsoleHub, name: string): Promise<void> {
  await record(house, name, [house.hub.base.clock.now() - 1, house.hub.base.clock.now()]);
  const { status } = await send(house.port, "POST", "/api/session", {
    json: { email: "owner@example.org", password: GOOD_PASSWORD },
  });
  if (status !== 200) throw new Error(`sign-in: ${status}`);
  const { status: made } = await house.api.post("/api/backups", { headers: { Cookie: house.cookie }, json: {} });
  if (made >= 300) throw new Error(`backup: ${made}`);
}

/** Waits until the sweeps that follow a start have run, and some more. */
async function sweep(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60_000 / SPEED));
}

t.test("a jump to 2036 and back, and to 2001 and back, with restarts between", async (t: Test) => {
  const folder = testFolder(t);
  const machine = new Machine();
  // the daily backup would come between what is compared, at whatever hour this runs
  const env = { GATEHOUSE_BACKUPS_TIME: new Date(machine.now() + DAY / 2).toISOString().slice(11, 16) };
  let house = await startConsoleHub(t, { folder, clock: machine, env });
  const { cookie } = house;
  const restart = async (): Promise<void> => {
    await house.hub.stop();
    house = { ...(await startConsoleHub(t, { folder, clock: machine, env, claim: false })), cookie };
  };
  await live(house);
  const before = history(house);
  t.match(
    Object.entries(before).map(([name, rows]) => [name, rows.length > 0]),
    Object.keys(before).map((name) => [name, true]),
    "there is something to lose",
  );
  const isPresent = async (): Promise<void> => {
    const { body } = await house.api.get("/api/backups", { headers: { Cookie: cookie } });
    const { backups } = body as { backups: { present: boolean }[] };
    t.equal(backups.length, history(house).backups?.length);
    t.ok(
      backups.every(({ present }) => present),
      "every backup is in the list, and its file is there",
    );
  };
  let known = before;
  for (const [at, wrong] of ["2036-06-01T00:00:00Z", "2001-01-01T00:00:00Z"].entries()) {
    for (const [whether, isRunning] of [true, false].entries()) {
      const name = `${"CD"[at]}${"EF"[whether]}`;
      const when = `${wrong}, ${isRunning ? "while the hub ran" : "while it was stopped"}`;
      const jump = Date.parse(wrong) - machine.now();
      if (isRunning) {
        machine.offsetMs += jump;
        await sweep();
        t.strictSame(history(house), known, `${when}: running`);
        await restart();
      } else {
        await house.hub.stop();
        machine.offsetMs += jump;
        house = { ...(await startConsoleHub(t, { folder, clock: machine, env, claim: false })), cookie };
      }
      await sweep();
      t.strictSame(history(house), known, `${when}: started again`);
      t.equal(
        (await send(house.port, "GET", "/v1/devices", { headers: { Cookie: cookie } })).status,
        200,
        "the session stays valid",
      );
      const { body } = await house.api.get("/api/health", { headers: { Cookie: cookie } });
      t.match(
        (body as { checks: { code: string }[] }).checks.find(({ code }) => code === "clock"),
        { level: "degraded", text: new RegExp(`jumped to ${wrong.slice(0, 4)}`) },
      );
      await liveOn(house, name);
      await sweep();
      const meanwhile = history(house);
      machine.offsetMs -= jump;
      await sweep();
      await restart();
      await sweep();
      known = history(house);
      t.strictSame(known, meanwhile, `${when}: clock restored`);
      for (const [part, rows] of Object.entries(before)) {
        const old = new Set(known[part]?.map((row) => JSON.stringify(row)));
        t.ok(
          rows.every((row) => old.has(JSON.stringify(row))),
          `${when}: ${part} are unchanged`,
        );
      }
      const added = Object.entries(known).flatMap(([part, rows]) =>
        part === "files" ? [] : rows.slice(before[part]?.length ?? 0),
      ) as Record<string, unknown>[];
      t.ok(added.length >= (2 * at + whether + 1) * 9, `${added.length} rows were added`);
      for (const row of added)
        for (const column of ["at", "entry_at", "exit_at", "created_at"])
          if (typeof row[column] === "number")
            t.ok(Math.abs(row[column] - machine.now()) < DAY, `${when}: ${JSON.stringify(row)} is in its place`);
      await isPresent();
    }
  }
  const items = house.hub.base.database.raw
    .prepare<[], { title: string; at: number }>("SELECT title, at FROM feed_item WHERE kind = 'system.clock'")
    .all();
  t.ok(items.some(({ title }) => title === "The clock jumped"));
  t.ok(
    items.every(({ at }) => Math.abs(at - machine.now()) < DAY),
    "no item has a wrong time",
  );
});
