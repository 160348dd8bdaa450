// @ts-check
/**
 * The rest of a household besides devices and reads: active rules and scenes, a client of another make, people, keys,
 * passes, MQTT sessions and retained topics, notification channels, energy, series. And the tables that may be empty:
 * every other must have a row before the trial begins.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import mqtt from "mqtt";

/** @typedef {import("./household.mjs").Household} Household */

/** Tables without rows in this kind of household, and why. */
const MAY_BE_EMPTY = new Map([
  ["ageing", "only while more is too old than may go in a day"],
  ["backup_secret", "a passphrase would keep the trial from reading the backups"],
  ["estate_entry", "the hub is in no estate: it needs servers"],
  ["estate_forgotten", "as above"],
  ["estate_hub", "as above"],
  ["estate_noted", "as above"],
  ["estate_read", "as above"],
  ["estate_state", "as above"],
  ["estate_visit", "as above"],
  ["plate_capture", "only of a pass with several bursts"],
  ["mqtt_incoming", "only between two packets of QoS 2"],
  ["mqtt_will", "only while a device with a will is connected"],
  ["set_aside", "only after damage"],
  ["visit_closure", "only after a visit was closed by hand"],
]);

const HOUR_MS = 3_600_000;
/** Samples of the offline device, in messages of this many. */
const HISTORY = 20_000;
const SAMPLES = 500;

/** Makes it, while the hub runs and its owner is signed in. @param {Household} house */
export async function furnishEverything(house) {
  await house.must("POST", "/api/devices", { id: "contact-1", name: "Contact", type: "contact" });
  await house.must("PUT", "/api/gates/gate-1/contact", { deviceId: "contact-1" });
  const { choices } = await house.must("GET", "/api/gate-choices");
  await house.must("PUT", "/api/gate-choices", { ...choices, asksNearMisses: true });
  await house.must("PATCH", "/api/devices/meter-0", { room: "Room 0", favorite: true });
  const { scene } = await house.must("POST", "/api/scenes", {
    name: "Evening",
    actions: [{ deviceId: "gate-1", command: { open: false } }],
  });
  const trigger = { type: "state", deviceId: "gate-1", field: "open", op: "eq", value: true };
  await house.must("POST", "/v1/automations", {
    name: "Close again",
    trigger,
    action: { type: "scene", sceneId: scene.id },
  });
  const { automation } = await house.must("POST", "/v1/automations", {
    name: "Much later",
    trigger: { type: "time", at: "07:00" },
    action: {
      type: "sequence",
      actions: [
        { type: "delay", seconds: 80_000 },
        { type: "command", deviceId: "meter-0", command: { power: true } },
      ],
    },
  });
  await house.must("POST", `/api/automations/${automation.id}/run`, {});
  await house
    .must("POST", `/api/scenes/${scene.id}/activate`, {})
    .catch(() => house.must("POST", `/v1/scenes/${scene.id}/activate`, {}));
  await house.must("PUT", "/api/energy/settings", {
    tariff: { currency: "INR", prices: [{ validFrom: null, perKwh: 8, exportPerKwh: 3, periods: [] }] },
    roles: [{ deviceId: "meter-0", role: "grid", behind: null, reversed: false }],
  });
  await house.must("POST", "/api/passes", {
    label: "Guest",
    validTo: new Date(Date.now() + 24 * HOUR_MS).toISOString(),
  });
  await house.must("POST", "/api/seen-reads", { upToId: 1 });
  await house.must("PUT", "/api/series/prometheus", { enabled: true });
  await house.must("PATCH", "/api/notifications/preferences", { language: "hi" });
  await house.must("PUT", "/api/house/mode", { mode: "night" });
  await house.must("PUT", "/api/house/presence", { is: "home" });
  await house.must("POST", "/api/hints/hide", { hint: "setUp" });
  await people(house);
  await otherMakes(house);
  await sessions(house);
}

/** @param {Household} house */
async function people(house) {
  const { code } = await house.must("POST", "/api/persons/invitations", { name: "Ravi", role: "member" });
  const joined = await house.hub.call("POST", "/api/join", {
    body: { code, name: "Ravi", email: "ravi@example.org", password: "a quiet sentence about rain" },
  });
  if (joined.status !== 201) throw new Error(`join: ${joined.status} ${joined.bytes}`);
  await house.must("POST", "/api/persons/invitations", { name: "Mira", role: "member" });
  const { key, secret } = await house.must("POST", "/api/keys", {
    name: "Old app",
    env: "live",
    scopes: ["devices:read", "devices:control"],
  });
  const asked = await fetch(`http://${house.hub.host}:${house.hub.httpPort}/v1/devices/meter-0/commands`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "idempotency-key": "furnished",
    },
    body: JSON.stringify({ power: true }),
  });
  if (!asked.ok) throw new Error(`command by key: ${asked.status} ${await asked.text()}`);
  await house.must("DELETE", `/api/keys/${key.id}`);
}

/** A client of another make with a device and its counter. @param {Household} house */
async function otherMakes(house) {
  const { username, password } = await house.must("POST", "/api/bridge/clients", {
    family: "homeassistant",
    name: "Boiler",
  });
  const other = await connected(house, { username, password, clientId: "boiler" });
  const base = "boiler/one";
  await other.publishAsync(
    "homeassistant/sensor/boiler/energy/config",
    JSON.stringify({
      name: "Energy",
      unique_id: "boiler_energy",
      state_topic: `${base}/energy`,
      device_class: "energy",
      state_class: "total_increasing",
      unit_of_measurement: "kWh",
      device: { identifiers: ["boiler"], name: "Boiler" },
    }),
    { qos: 1, retain: true },
  );
  await pause(1_500);
  for (const kwh of [10, 11]) {
    await other.publishAsync(`${base}/energy`, String(kwh), { qos: 1, retain: true });
    await pause(300);
  }
  await other.endAsync();
}

/**
 * A device that is away with commands waiting for it, and one that is removed with its history. @param {Household}
 * house
 */
async function sessions(house) {
  for (const id of ["away-1", "old-1"])
    house.devices.passwords[id] = (
      await house.must("POST", "/api/devices", { id, name: id, type: "smart-plug" })
    ).password;
  const away = await house.devices.connectOne("away-1");
  await away.subscribeAsync("gatehouse/away-1/command", { qos: 1 });
  await away.publishAsync("gatehouse/away-1/state", JSON.stringify({ power: false }), { qos: 1, retain: true });
  // Enough to be moved into blocks and sums.
  const begun = Date.now() - 2 * HOUR_MS;
  for (let n = 0; n < HISTORY; n += SAMPLES) {
    const samples = Array.from({ length: SAMPLES }, (_, k) => ({
      at: new Date(begun + (n + k) * 100).toISOString(),
      data: { watts: (n + k) % 500, kwh: (n + k) / 1_000 },
    }));
    await away.publishAsync("gatehouse/away-1/telemetry", JSON.stringify(samples), { qos: 1 });
  }
  away.end(true);
  // Until the hub has noticed that it is offline, a command is sent instead of queued.
  for (let status = ""; status !== "pending"; ) {
    const { commandId } = await house.must("POST", "/v1/devices/away-1/commands", { power: true });
    await pause(1_100); // limit: ten per device in ten seconds
    status = (await house.must("GET", `/v1/commands/${commandId}`)).command.status;
  }
  const old = await house.devices.connectOne("old-1");
  await old.publishAsync("gatehouse/old-1/telemetry", JSON.stringify({ watts: 3 }), { qos: 1 });
  await old.endAsync();
  await house.must("DELETE", "/api/devices/old-1");
}

/** What no call of the API can make here: a browser, a phone with Matter, an authenticator. @param {string} folder */
export function furnishRows(folder) {
  const database = new SqliteDatabase(join(folder, "gatehouse.db"));
  try {
    /** @param {string} sql @param {unknown[]} values */
    const run = (sql, ...values) => void database.prepare(sql).run(...values);
    const now = Date.now();
    const site = database.prepare("SELECT id FROM site WHERE env = 'live'").pluck().get();
    const account = database.prepare("SELECT min(id) FROM account").pluck().get();
    const session = database.prepare("SELECT max(id) FROM session").pluck().get();
    run(
      "INSERT INTO passkey (credential_id, account_id, public_key, counter, rp_id, transports, name, created_at) VALUES ('furnished', ?, x'00', 0, 'gatehouse.local', '[]', 'Phone', ?)",
      account,
      now,
    );
    run(
      "INSERT INTO push_subscription (session_id, account_id, endpoint, p256dh, auth, label, created_at) VALUES (?, ?, 'https://push.example/furnished', 'AA', 'AA', 'Phone', ?)",
      session,
      account,
      now,
    );
    run(
      "INSERT INTO plate_sample (read_id, site_id, device_id, plate, seen, at, crop) VALUES (1, ?, 'camera-1', 'MH12AB1234', 'MH12A81234', ?, x'00')",
      site,
      now,
    );
    run("INSERT INTO recovery_code (account_id, code_hash) VALUES (?, 'furnished')", account);
    run(
      "INSERT INTO notification_channel (account_id, channel, enabled, settings) VALUES (?, 'ntfy', 0, '{\"url\":\"https://ntfy.example\"}')",
      account,
    );
    run(
      "INSERT INTO notification (account_id, channel, item_id, urgent, expires_at) SELECT ?, 'email', max(id), 0, ? FROM feed_item",
      account,
      now + 24 * HOUR_MS,
    );
    run(
      "INSERT INTO matter_fabric (fabric, fabric_index, vendor_id, name, joined_at) VALUES ('furnished', 1, 4937, 'Home', ?)",
      now,
    );
    run("INSERT INTO matter_endpoint (site_id, subject) VALUES (?, 'device:gate-1')", site);
    run("INSERT INTO matter_choice (site_id, subject, shown, guarded) VALUES (?, 'device:gate-1', 1, 1)", site);
    run("INSERT INTO matter_pin (site_id, hash, changed_at) VALUES (?, NULL, ?)", site, now);
    const announced = {
      key: "00000000000000aa-1",
      name: "Plug",
      type: "smart-plug",
      metrics: [],
      hardware: [],
      memo: {},
    };
    run(
      "INSERT INTO matter_device (node, endpoint, device_id, fate, announcement) VALUES ('00000000000000aa', 1, 'contact-1', 'gone', ?)",
      JSON.stringify(announced),
    );
    run("INSERT OR IGNORE INTO series_mark (device_id, sent_to) VALUES ('meter-0', ?)", now);
    run(
      "INSERT OR IGNORE INTO write_day (day, cause, bytes) VALUES (?, 'database', 1)",
      new Date(now).toISOString().slice(0, 10),
    );
  } finally {
    database.close();
  }
}

/** Tables that have no row and should have one. @param {string} folder */
export function emptyTables(folder) {
  const database = new SqliteDatabase(join(folder, "gatehouse.db"), { readonly: true });
  try {
    const names = /** @type {string[]} */ (
      database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
        .pluck()
        .all()
    );
    return names.filter(
      (name) => !MAY_BE_EMPTY.has(name) && database.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() === undefined,
    );
  } finally {
    database.close();
  }
}

/** @param {Household} house @param {import("mqtt").IClientOptions} options */
function connected(house, options) {
  return mqtt.connectAsync(`mqtt://${house.hub.host}:${house.hub.mqttPort}`, { reconnectPeriod: 0, ...options });
}
