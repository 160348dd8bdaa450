/**
 * An act and its audit line are written together: a crash between the two would leave a key, a client or a camera that
 * belongs to the household and outlives the person who made it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { ISSUING_ACTIONS } from "../../src/features/access/grant-kinds.ts";
import { startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(90_000); // a hub that starts

t.test("if the audit line cannot be written, the act leaves nothing behind and gives no right", async (t) => {
  const folder = testFolder(t);
  const { hub, owner } = await startOwnedHub(folder, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => hub.kill());
  const made = await owner.call<{ device: { id: string } }>("POST", "/api/devices", {
    id: "lamp",
    name: "Lamp",
    type: "light",
  });
  t.equal(made.status, 201);
  const hook = { url: "https://example.org/", events: ["device.event"] };
  const first = await owner.call<{ webhook: { id: number } }>("POST", "/api/webhooks", hook);
  const { id } = first.body.webhook;
  const raw = new SqliteDatabase(join(folder, "gatehouse.db"));
  t.teardown(() => raw.close());
  const tables = ["webhook", "bridge_client", "notification_channel", "scene", "room", "issued", "series_target"];
  // the simulated household reports meanwhile
  const devices = "device WHERE site_id = (SELECT id FROM site WHERE env = 'live')";
  const rows = (): unknown => [devices, ...tables].map((from) => raw.prepare(`SELECT * FROM ${from}`).all());
  raw.exec("CREATE TRIGGER torn BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'torn'); END");
  const before = rows();
  const acts: readonly (readonly [method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body: object])[] = [
    ["POST", "/api/devices", { id: "second", name: "Second", type: "light" }],
    ["POST", "/api/devices/lamp/password", {}],
    ["PATCH", "/api/devices/lamp", { name: "Another" }],
    ["DELETE", "/api/devices/lamp", {}],
    ["POST", "/api/webhooks", hook],
    ["PATCH", `/api/webhooks/${id}`, { url: "https://example.com/" }],
    ["POST", `/api/webhooks/${id}/rotate`, {}],
    ["POST", `/api/webhooks/${id}/disable`, {}],
    ["DELETE", `/api/webhooks/${id}`, {}],
    ["POST", "/api/bridge/clients", { name: "A relay", family: "tasmota" }],
    ["PUT", "/api/notifications/channels/ntfy", { enabled: true, server: "https://ntfy.example.org", pictures: true }],
    ["POST", "/api/scenes", { name: "Evening", actions: [{ deviceId: "lamp", command: { on: true } }] }],
    ["POST", "/api/rooms", { name: "Hall" }],
  ];
  for (const [method, path, body] of acts) {
    const { status } = await owner.call(method, path, body);
    t.ok(status >= 500, `${method} ${path}: ${status}`);
    t.same(rows(), before, `${method} ${path}: nothing remains of it`);
  }
  raw.exec("DROP TRIGGER torn");
  for (const [method, path, body] of acts.filter(([, path]) => !path.includes("/lamp") && !path.includes(`/${id}`)))
    t.ok((await owner.call(method, path, body)).status < 300, `${method} ${path} works with its line`);
});

/** Acts that give rights without being a grant themselves. */
const OPENS_A_WAY = ["bridge.pairing_opened", "settings.changed"];

/** Acts outside the database's write jobs, whose audit line is written separately, and where their state lives. */
const NO_JOBS: Readonly<Record<string, "first" | "after">> = {
  "bridge.pairing_opened": "first", // a window in memory
  "bridge.pairing_closed": "after",
  "bridge.ghosts_cleared": "after", // messages
  "matter.enabled": "after", // a process
  "matter.taken_over": "after",
  "matter.window_opened": "first",
  "matter.fabric_removed": "after",
  "matter.join_begun": "after",
  "settings.changed": "first", // a file
  "backup.made": "after", // files
  "backup.downloaded": "after",
  "backup.deleted": "after",
  "backup.restored": "after",
  "update.installed": "after",
  "update.rolled_back": "after",
  "authority.renewed": "after",
  "hub.restarted": "after",
  "mqtt.published": "after",
  "app.approved": "after", // in memory until the app fetches its key, which has a line
  "app.refused": "after",
};

t.test("only acts outside the write jobs have an audit line of their own", async (t) => {
  const folder = join("src", "features");
  const found = new Set<string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\/routes\/[\w-]+\.ts$/.test(name)) continue;
    const text = readFileSync(join(folder, name), "utf8");
    for (const [, action = ""] of text.matchAll(/await note\(caller, [^"]*"([a-z._]+)"/g)) found.add(action);
  }
  t.same([...found].sort(), Object.keys(NO_JOBS).sort());
  for (const [action, place] of Object.entries(NO_JOBS))
    if (place === "first") t.ok(action in ISSUING_ACTIONS || OPENS_A_WAY.includes(action), `${action} gives a right`);
});
