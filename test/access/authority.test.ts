/** Every kind of grant, compared with the database so that none can be forgotten. */
import t from "tap";
import {
  GRANT_KINDS,
  type GrantKind,
  ISSUED_KINDS,
  ISSUING_ACTIONS,
  WIDENING_ACTIONS,
} from "../../src/features/access/grant-kinds.ts";
import { personNameKey } from "../../src/features/access/rules/person-name.ts";
import { openAccess } from "../support/access.ts";

/** Tables whose rows grant nothing and reveal nothing, and why. A new table belongs here or in the list of grants. */
const NO_GRANTS: Readonly<Record<string, string>> = {
  issued: "who issued what",
  revocation: "what ended",
  hub: "facts about the hub",
  site: "a household",
  room: "a name",
  audit: "what was done",
  command: "what was done",
  idempotency: "answers for the credential that asked",
  retired_device: "ids that are not given again",
  feed_item: "what happened",
  feed_subject: "what it is about",
  webhook_subject: "what a delivery is about",
  ageing: "what is deleted by age",
  notification: "what still has to be sent to a grant",
  matter_endpoint: "numbers",
  matter_choice: "what joined homes can see: a setting of the household",
  matter_pin: "a secret that people know: a setting of the household",
  matter_device: "a device that the hub commands",
  series_target: "a database of the household: a setting, without plates",
  series_mark: "the export's progress",
  backup: "a backup file",
  backup_rehearsal: "the result of a rehearsal",
  backup_secret: "the household's passphrase, which cannot be read back",
  write_day: "figures",
  set_aside: "cells that could not be read",
  hidden_hint: "what a person has put away",
  seen_read: "what a person has seen",
  gate_contact: "settings of a device",
  gate_choice: "settings of the household",
  house_mode: "settings of the household",
  presence_source: "where persons are: information, by which nobody may do anything",
  bridge_device: "what a client announced, under the client's rights",
  bridge_counter: "figures",
  automation_timer: "what a rule waits for, under the rule's rights",
  automation_trace: "what a rule did",
  opening: "what was done",
  plate_read: "what was seen",
  plate_capture: "what was seen",
  shown_frame: "digests of frames that were seen",
  plate_image: "what was seen",
  plate_sample: "what was seen",
  lane_pass: "what was seen",
  shown_glance: "what was seen",
  state_series: "what was measured",
  state_change: "what was measured",
  state_day: "what was measured",
  visit: "what was seen",
  visit_closure: "what was done",
  vehicle: "what is known of a vehicle; rules let it in",
  energy_role: "settings of a device",
  energy_tariff: "settings of the household",
  estate_read: "the estate's: hubs have rights of their own",
  estate_noted: "the estate's",
  estate_visit: "the estate's",
  estate_entry: "the estate's: rules of all hubs, the household's here",
  estate_hub: "the estate's",
  estate_forgotten: "the estate's",
  estate_state: "the estate's",
  webhook_delivery: "what still has to be sent to a grant",
  mqtt_retained: "messages, read under the reader's rights",
  mqtt_subscription: "a session of a credential",
  mqtt_queue: "a session of a credential",
  mqtt_incoming: "a session of a credential",
  mqtt_will: "a session of a credential",
  telemetry_device: "measurements",
  telemetry_journal: "measurements",
  telemetry_block: "measurements",
  telemetry_series: "measurements",
  telemetry_hour: "measurements",
};

t.test("every table is a kind of grant or has a reason why it is not one", async (t) => {
  const { database } = await openAccess(t);
  const tables = database.raw
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => name);
  const kinds: readonly GrantKind[] = Object.values(GRANT_KINDS);
  const granting = new Set(kinds.flatMap(({ table }) => (table === null ? [] : [table])));
  t.same(
    tables.filter((name) => !granting.has(name) && !(name in NO_GRANTS)),
    [],
    "in neither list",
  );
  t.same(
    [...granting, ...Object.keys(NO_GRANTS)].filter((name) => !tables.includes(name)),
    [],
    "in a list without a table",
  );
  t.same(
    Object.keys(NO_GRANTS).filter((name) => granting.has(name)),
    [],
    "in both lists",
  );
});

t.test("a person's own grants end with the person", async (t) => {
  const { database } = await openAccess(t);
  for (const [name, { table, issuer }] of Object.entries(GRANT_KINDS)) {
    if (table === null || issuer !== "person") continue;
    const keys = database.raw.pragma(`foreign_key_list(${table})`) as { table: string; on_delete: string }[];
    t.ok(
      keys.some((key) => key.table === "account" && key.on_delete === "CASCADE"),
      name,
    );
  }
});

t.test("every kind of grant has an act that issues it and a way to list it", async (t) => {
  const { database } = await openAccess(t);
  const issuedBy = new Set([
    ...Object.values(ISSUING_ACTIONS).map(({ kind }) => kind),
    ...Object.values(WIDENING_ACTIONS).map(({ part }) => part),
  ]);
  for (const kind of ISSUED_KINDS) {
    if (kind === "camera") continue; // a device with a camera's settings
    if (kind === "matter_home") t.ok(issuedBy.has("matter_window"), "the person who opened the window");
    else if (kind === "member") t.ok(issuedBy.has("invitation"), "the person who issued the invitation");
    else t.ok(issuedBy.has(kind), kind);
  }
  t.equal(database.state, "ok");
});

/** Ids that only their own table refers to, so that they may be reused, and why. */
const NAMED_NOWHERE: Readonly<Record<string, string>> = {
  site: "never removed",
  room: "only devices name it, in the same transaction",
  audit: "removed from the old end only; nothing names a line",
  telemetry_journal: "internal",
  telemetry_block: "internal",
  telemetry_series: "internal",
  mqtt_queue: "internal",
  visit_closure: "internal",
  set_aside: "internal",
  notification: "internal",
  plate_capture: "internal",
  shown_frame: "internal",
  shown_glance: "internal",
  lane_pass: "internal",
  state_series: "removed last, after everything that names it",
  state_day: "the number of a day",
  plate_image: "the read's id",
  plate_sample: "the read's id",
  notification_person: "the account's id",
  energy_tariff: "the site's id",
  matter_pin: "the site's id",
  seen_read: "the account's id",
  gate_choice: "the site's id",
  house_mode: "the site's id",
  series_target: "one row",
};

t.test("ids that anything refers to are never reused", async (t) => {
  const { database } = await openAccess(t);
  const tables = database.raw
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%INTEGER PRIMARY KEY%'",
    )
    .all();
  const counted = database.raw
    .prepare<[], { key: string }>("SELECT key FROM hub WHERE key LIKE 'last\\_%' ESCAPE '\\'")
    .all()
    .map(({ key }) => key.slice("last_".length));
  for (const { name, sql } of tables) {
    const isSafe = /AUTOINCREMENT/.test(sql) || counted.includes(name) || name in NAMED_NOWHERE;
    t.ok(isSafe, name);
  }
  for (const name of Object.keys(NAMED_NOWHERE))
    t.ok(
      tables.some((table) => table.name === name),
      name,
    );
});

t.test("names are compared ignoring case, spaces, width and invisible characters", async (t) => {
  for (const name of ["Asha Rao", "asha  rao", " ASHA RAO ", "Ａｓｈａ　Ｒａｏ", "As\u200bha Rao", "Asha\u00a0Rao"])
    t.equal(personNameKey(name), "asha rao", JSON.stringify(name));
  t.equal(personNameKey("STRASSE"), personNameKey("Straße"));
  t.not(personNameKey("Asha"), personNameKey("Usha"));
});
