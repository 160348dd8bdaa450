/** A machine's clock that jumps by decades and back, with restarts between: the household's history stays whole and where it belongs. */
import t, { type Test } from "tap";
import type { Clock, Timer } from "../../src/kernel/clock.js";
import { send } from "../support/api-client.js";
import { type ConsoleHub, startConsoleHub } from "../support/console-hub.js";
import { eventually } from "../support/hub-process.js";

const DAY = 86_400_000;
/** A minute of the hub passes in a second, so that its first sweeps are soon. */
const SPEED = 60;

/** A machine whose wall clock jumps when told. */
class Machine implements Clock {
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

  after(delayMs: number, task: () => void): Timer {
    const handle = setTimeout(task, delayMs / SPEED).unref();
    return { stop: () => clearTimeout(handle) };
  }

  every(periodMs: number, task: () => void): Timer {
    const handle = setInterval(task, Math.max(1, periodMs / SPEED)).unref();
    return { stop: () => clearInterval(handle) };
  }
}

/** Everything that could be lost or misplaced, by table. */
function history({ hub }: ConsoleHub): Record<string, unknown[]> {
  const all = (sql: string): unknown[] => hub.database.raw.prepare(sql).all();
  const ours = "site_id = (SELECT id FROM site WHERE env = 'live')"; // the simulated household lives on
  return {
    reads: all(`SELECT id, plate, at FROM plate_read WHERE ${ours} ORDER BY id`),
    pictures: all(`SELECT read_id, at FROM plate_image WHERE read_id IN (SELECT id FROM plate_read WHERE ${ours}) ORDER BY read_id`),
    visits: all(`SELECT plate, status, entry_at, exit_at FROM visit WHERE ${ours} ORDER BY id`),
    vehicles: all(`SELECT plate, first_seen, last_seen FROM vehicle WHERE ${ours} ORDER BY plate`),
    feed: all(`SELECT id, title, at FROM feed_item WHERE kind = 'device.event' AND ${ours} ORDER BY id`),
    audit: all("SELECT id, at FROM audit WHERE action = 'test.noted' ORDER BY id"),
    sessions: all("SELECT id, created_at, expires_at FROM session ORDER BY id"),
    backups: all("SELECT id, at FROM backup ORDER BY id"),
  };
}

/** A month of a household with a camera, straight into its tables. */
async function live({ hub, call }: ConsoleHub): Promise<void> {
  await call("POST", "/api/devices", { id: "camera-in", name: "Camera", type: "camera" });
  const site = hub.access.accounts.sites().find(({ env }) => env === "live");
  if (site === undefined) throw new Error("no household");
  const now = Date.now();
  await hub.database.write(() => {
    const read = hub.database.raw.prepare(
      `INSERT INTO plate_read (site_id, device_id, capture_id, plate, formatted, seen_text, plate_kind, confidence, votes, samples, status, decision,
         direction, opens_visit, trigger, at, last_at, stored_at)
       VALUES (?, 'camera-in', ?, ?, ?, ?, 'standard', 95, 1, 1, 'recognised', 'allow', ?, 1, 'motion', ?, ?, ?)`,
    );
    const picture = hub.database.raw.prepare("INSERT INTO plate_image (read_id, bytes, at) VALUES (?, 10, ?)");
    for (let n = 0; n < 200; n++) {
      const at = now - 28 * DAY + n * 10_000_000;
      const plate = `MH12AB${1000 + Math.floor(n / 2)}`;
      const { lastInsertRowid } = read.run(site.id, n, plate, plate, plate, n % 2 === 0 ? "in" : "out", at, at, at);
      picture.run(lastInsertRowid, at);
      hub.plates.pairing.repair(site.id, [plate], at);
      hub.devices.feed.record({ siteId: site.id, kind: "device.event", deviceId: null, title: `Event ${n}`, body: "", at });
      hub.access.audit.record({ accountId: site.accountId, actor: "test", action: "test.noted", target: String(n), at });
    }
  });
  const { status } = await call("POST", "/api/backups", {});
  if (status >= 300) throw new Error(`backup: ${status}`);
  await eventually(() => (hub.database.raw.prepare("SELECT 1 FROM backup").get() === undefined ? undefined : true), 20_000);
}

/** Waits until the sweeps that follow a start have run, and some more. */
async function sweep(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60_000 / SPEED));
}

t.test("a jump to 2036 and back, and to 2001 and back, with restarts between", async (t: Test) => {
  const folder = t.testdir();
  const machine = new Machine();
  let house = await startConsoleHub(t, { folder, clock: machine });
  const { cookie } = house;
  const restart = async (): Promise<void> => {
    await house.hub.stop();
    house = { ...(await startConsoleHub(t, { folder, clock: machine, claim: false })), cookie };
  };
  await live(house);
  const before = history(house);
  t.match(
    Object.entries(before).map(([name, rows]) => [name, rows.length > 0]),
    Object.keys(before).map((name) => [name, true]),
    "there is something to lose",
  );
  for (const wrong of ["2036-06-01T00:00:00Z", "2001-01-01T00:00:00Z"]) {
    const jump = Date.parse(wrong) - machine.now();
    machine.offsetMs += jump;
    await sweep();
    t.strictSame(history(house), before, `${wrong}: running`);
    await restart();
    await sweep();
    t.strictSame(history(house), before, `${wrong}: started again`);
    t.equal((await send(house.port, "GET", "/v1/devices", { headers: { Cookie: cookie } })).status, 200, "the session goes on");
    const { body } = await house.api.get("/api/health", { headers: { Cookie: cookie } });
    t.match(
      (body as { checks: { code: string }[] }).checks.find(({ code }) => code === "clock"),
      { level: "degraded", text: new RegExp(`jumped to ${wrong.slice(0, 4)}`) },
    );
    machine.offsetMs -= jump;
    await sweep();
    await restart();
    t.strictSame(history(house), before, `${wrong}: taken back`);
  }
  const told = house.hub.database.raw.prepare<[], { title: string; at: number }>("SELECT title, at FROM feed_item WHERE kind = 'system.clock'").all();
  t.ok(told.some(({ title }) => title === "The clock jumped"));
  t.ok(
    told.every(({ at }) => Math.abs(at - machine.now()) < DAY),
    "no item bears a wrong time",
  );
});
