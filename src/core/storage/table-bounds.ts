/**
 * Every table of the database, the bound on its growth, and what deletes its rows. A test compares the list with the
 * schema, with the SQL and with the settings; docs/what-is-kept.md is made from it.
 */

/** What bounds a table, and what deletes from it. */
export type TableBound =
  /** One row for each row of `of`, or a number of them that is bounded; deleted with it by the database. */
  | { readonly by: "owner row"; readonly of: string; readonly most: string }
  /** Rows are removed by age: `setting` holds the number of days if it can be configured. */
  | { readonly by: "age"; readonly most: string; readonly setting?: string; readonly who: string }
  /** The oldest go, or nothing more is taken, beyond a number. */
  | { readonly by: "number"; readonly most: string; readonly who: string }
  /** What persons set up: they delete it, and no more than `most` is taken. */
  | { readonly by: "persons"; readonly most: string; readonly who: string }
  /** A fixed set of rows. */
  | { readonly by: "nature"; readonly most: string };

const SWEEP = "core/jobs/age-limits.ts, hourly";

/** The tables by name. */
export const TABLE_BOUNDS: Readonly<Record<string, TableBound>> = {
  account: { by: "persons", most: "30 a household", who: "features/access/persons.ts" },
  ageing: { by: "nature", most: "one row for each kind of history" },
  api_key: {
    by: "persons",
    most: "50 that work; those that ended, for 90 days",
    who: "features/access/keys.ts, at each start",
  },
  audit: { by: "age", most: "730 days", setting: "access.auditDays", who: SWEEP },
  automation: { by: "persons", most: "500 a household", who: "features/automations/automations.ts" },
  automation_timer: { by: "owner row", of: "automation", most: "10 waiting runs of a rule and their steps" },
  automation_trace: {
    by: "number",
    most: "50 of a rule, and as long as reads",
    who: "features/automations/traces.ts, with each run; features/automations/feature.ts, daily",
  },
  backup: {
    by: "age",
    most: "the backups that exist (daily and weekly ones by number), and failures for 60 days",
    setting: "backups.keepDaily",
    who: "features/backups/backups.ts, after each backup",
  },
  backup_rehearsal: { by: "number", most: "50", who: "features/backups/backups.ts, with each rehearsal" },
  backup_secret: { by: "nature", most: "the passphrase" },
  bridge_client: {
    by: "persons",
    most: "those that were accepted (bridge.maxClients), and 50 that wait",
    who: "features/bridge/clients.ts",
  },
  bridge_counter: {
    by: "number",
    most: "the metrics of a device that exists",
    who: "firmware-bridge/meters.ts, when the device is removed",
  },
  bridge_device: {
    by: "number",
    most: "bridge.maxDevices that stand for a device, withdrawn ones included, and as many others: the oldest go",
    who: "firmware-bridge/effect-applier.ts, when a new one is announced",
  },
  camera: { by: "owner row", of: "device", most: "one of a device" },
  command: { by: "number", most: "1,000 of a device", who: "features/devices/commands.ts, hourly" },
  device: { by: "persons", most: "5,000 a household", who: "features/devices/registry.ts" },
  energy_role: { by: "owner row", of: "device", most: "one of a device" },
  energy_tariff: { by: "owner row", of: "site", most: "one a household" },
  estate_entry: {
    by: "number",
    most: "the plate rules and parts that the estate has",
    who: "features/estate/entries.ts, when they are removed there",
  },
  estate_forgotten: {
    by: "age",
    most: "as long as reads",
    setting: "plates.readRetentionDays",
    who: "features/estate/estate.ts, hourly",
  },
  estate_hub: { by: "number", most: "200 hubs", who: "features/estate/peers.ts" },
  estate_noted: {
    by: "number",
    most: "what changed and has not been reported yet",
    who: "features/estate/estate.ts, when it was",
  },
  estate_read: {
    by: "age",
    most: "as long as reads",
    setting: "plates.readRetentionDays",
    who: "features/estate/estate.ts, hourly",
  },
  estate_state: {
    by: "age",
    most: "positions; marks of entries that are gone, as long as reads",
    setting: "plates.readRetentionDays",
    who: "features/estate/estate.ts, hourly",
  },
  estate_visit: {
    by: "age",
    most: "as long as reads",
    setting: "plates.readRetentionDays",
    who: "features/estate/estate.ts, hourly",
  },
  feed_item: {
    by: "age",
    most: "90 days and 50,000 items",
    setting: "feed.days",
    who: `${SWEEP}; features/feed/feed.ts, hourly`,
  },
  feed_subject: { by: "owner row", of: "feed_item", most: "the subjects of an item" },
  gate_choice: { by: "owner row", of: "site", most: "one a household" },
  gate_contact: { by: "owner row", of: "device", most: "one of a gate" },
  guest_pass: {
    by: "number",
    most: "200 a household, and as many that ended within a week",
    who: "features/gate/guest-passes.ts, hourly",
  },
  house_mode: { by: "owner row", of: "site", most: "one of a household" },
  hub: { by: "nature", most: "a few facts about the hub" },
  idempotency: { by: "number", most: "24 hours, 100,000 answers and 8 MB", who: "core/http/middleware/idempotency.ts" },
  invitation: { by: "age", most: "until they expire", who: "features/access/persons.ts" },
  issued: {
    by: "number",
    most: "one for each thing that somebody issued and that is still there",
    who: "features/access/feature.ts, hourly",
  },
  lane_pass: { by: "number", most: "200 a camera", who: "features/gate/presented-plates.ts, with each pass" },
  matter_choice: { by: "nature", most: "one for each device and scene that may be shown (matter_endpoint)" },
  matter_device: {
    by: "number",
    most: "the endpoints of 200 nodes",
    who: "features/matter/controller/devices.ts, when a node has left or its device is removed",
  },
  matter_endpoint: {
    by: "nature",
    most: "65,533: a number is never given twice, so that homes do not mistake a device",
  },
  matter_fabric: {
    by: "number",
    most: "those that have joined, and the last 100 that left",
    who: "features/matter/bridge/fabrics.ts, when one leaves",
  },
  matter_pin: { by: "nature", most: "one a household" },
  mqtt_incoming: {
    by: "number",
    most: "the unfinished messages of a session",
    who: "core/mqtt/incoming-store.ts, when it ends",
  },
  mqtt_queue: { by: "number", most: "1,000 messages and 1 MB a session", who: "core/mqtt/outgoing-queues.ts" },
  mqtt_retained: {
    by: "number",
    most: "64 topics and 64 KB a device; a quota of each client",
    who: "core/mqtt/retained-quota.ts",
  },
  mqtt_subscription: {
    by: "age",
    most: "7 days after the session was last connected",
    who: "core/mqtt/housekeeping.ts, hourly",
  },
  mqtt_will: { by: "number", most: "one a connection", who: "core/mqtt/will-store.ts, when it ends" },
  notification: { by: "number", most: "20 that wait for one receiver", who: "features/notifications/notifications.ts" },
  notification_channel: { by: "owner row", of: "account", most: "three a household" },
  notification_person: { by: "owner row", of: "account", most: "one a person" },
  opening: {
    by: "age",
    most: "365 days; those for a plate go with its read",
    setting: "plates.readRetentionDays",
    who: `features/gate/retention.ts by ${SWEEP}`,
  },
  passkey: { by: "persons", most: "20 a person", who: "features/access/passkeys.ts" },
  plate_capture: { by: "owner row", of: "plate_read", most: "100 a read" },
  plate_image: {
    by: "age",
    most: "30 days, and less on a full disk",
    setting: "plates.imageRetentionDays",
    who: `features/gate/retention.ts by ${SWEEP}; core/jobs/make-room.ts`,
  },
  plate_read: {
    by: "age",
    most: "365 days",
    setting: "plates.readRetentionDays",
    who: `features/gate/retention.ts by ${SWEEP}`,
  },
  plate_rule: {
    by: "persons",
    most: "5,000 a household, and as many that have ended",
    who: "features/gate/plate-rules.ts",
  },
  plate_sample: {
    by: "age",
    most: "30 days, or 2,000 a household where the owner keeps them for always",
    setting: "plates.imageRetentionDays",
    who: `features/gate/retention.ts by ${SWEEP}`,
  },
  presence_source: { by: "owner row", of: "account", most: "three of a person" },
  push_subscription: { by: "owner row", of: "session", most: "10 browsers a person" },
  recovery_code: { by: "owner row", of: "account", most: "one set a person" },
  retired_device: {
    by: "age",
    most: "three years: as long as there can be history",
    who: "features/devices/registry.ts, daily",
  },
  revocation: {
    by: "number",
    most: "20,000, and until they would have ended anyway",
    who: "features/access/revocations.ts, at each start",
  },
  room: { by: "persons", most: "200 a household", who: "features/devices/rooms.ts" },
  scene: { by: "persons", most: "200 a household", who: "features/scenes/scenes.ts" },
  hidden_hint: { by: "owner row", of: "account", most: "two a person" },
  seen_read: { by: "owner row", of: "account", most: "one a person" },
  series_mark: { by: "number", most: "one for each device that exists", who: "features/series/marks.ts" },
  series_target: { by: "nature", most: "one row" },
  session: { by: "number", most: "50 a person; until they expire", who: "features/access/sessions.ts, hourly" },
  set_aside: { by: "number", most: "1,000 cells, the last ones", who: "core/storage/bad-rows.ts, with each cell" },
  shown_frame: {
    by: "number",
    most: "5,000 frames of a camera, as digests",
    who: "features/gate/shown-frames.ts, with each capture",
  },
  shown_glance: {
    by: "number",
    most: "2,000 frames of a camera, 24 of one read; with their read",
    who: "features/gate/presented-plates.ts, with each read of a listed plate",
  },
  site: { by: "owner row", of: "account", most: "two a household" },
  state_change: {
    by: "age",
    most: "90 days and two million changes; of a device, 500 at once and 240 an hour after that",
    setting: "devices.stateDays",
    who: `features/states/state-history.ts by ${SWEEP}`,
  },
  state_day: { by: "number", most: "one a day of changes", who: "features/states/state-history.ts, hourly" },
  state_series: {
    by: "number",
    most: "24 at a time for each device that exists",
    who: "features/states/state-history.ts, when the device is removed",
  },
  telemetry_block: {
    by: "age",
    most: "35 days and 2,000 MB",
    setting: "telemetry.rawDays",
    who: `features/telemetry/retention.ts by ${SWEEP}`,
  },
  telemetry_device: {
    by: "number",
    most: "one a device",
    who: "features/telemetry/store.ts, when the device is removed",
  },
  telemetry_hour: {
    by: "age",
    most: "1,095 days",
    setting: "telemetry.hourlyDays",
    who: `features/telemetry/retention.ts by ${SWEEP}`,
  },
  telemetry_journal: { by: "number", most: "what is not in a block yet", who: "features/telemetry/compaction.ts" },
  telemetry_series: {
    by: "number",
    most: "the metrics that a device has measured (64 that are listed; others are bounded at compaction)",
    who: "features/telemetry/store.ts, when the device is removed",
  },
  vehicle: {
    by: "number",
    most: "the plates of reads that are kept",
    who: "features/gate/retention.ts, with the last read",
  },
  visit: {
    by: "age",
    most: "365 days",
    setting: "plates.readRetentionDays",
    who: `features/gate/retention.ts by ${SWEEP}`,
  },
  visit_closure: {
    by: "age",
    most: "365 days, and as long as a read before it is kept",
    setting: "plates.readRetentionDays",
    who: `features/gate/retention.ts by ${SWEEP}`,
  },
  webhook: { by: "persons", most: "20 a household", who: "features/webhooks/registry.ts" },
  webhook_delivery: {
    by: "age",
    most: "30 days and 20,000 rows",
    setting: "webhooks.logDays",
    who: "features/webhooks/outbox.ts, hourly",
  },
  webhook_subject: { by: "owner row", of: "webhook_delivery", most: "the vehicles of a delivery" },
  write_day: { by: "age", most: "60 days", who: "core/jobs/write-budget.ts" },
};

/** docs/what-is-kept.md. */
export function boundsPage(): string {
  const rows = Object.entries(TABLE_BOUNDS).map(
    ([table, bound]) => `| \`${table}\` | ${bound.most} | ${deleter(bound)} |`,
  );
  return `# What the database keeps

Every table of \`gatehouse.db\`, what bounds it, and what deletes its rows. Days are defaults; the setting that changes them
is named. What is deleted for its age goes oldest first, at most a share a day ([appliance.md](appliance.md)).

The file does not shrink when rows go: their pages are used again before it grows. Giving them back to the file system would
cost a card a second write of each page that moves; a restored backup is as small as its contents.

<!-- Generated by scripts/generate-docs.mjs from src/core/storage/table-bounds.ts. -->

| table | at most | what deletes |
| --- | --- | --- |
${rows.join("\n")}

## A plate of which everything was deleted

*Delete everything* on a vehicle's page (also where another hub of an estate orders it) deletes in one transaction its
reads with their captures, pictures, openings and frames, visits, the vehicle, kept pictures of corrections, its rules
with their guest passes, feed items with the notifications that wait, webhook deliveries that tell of it, sent or not,
and traces of automations that it set off. A run that still waits goes on as if the plate had been illegible. Where
its reads went before it, by their age, what has a bound of its own here stays until then.

What stays: lines of the audit, which say who did what (with the plate in those of its rules); for 24 hours, answers
to a repeated request with an Idempotency-Key; what a person wrote into an automation or chose as their car; backups
made before, until they are replaced. What receivers were sent is theirs.
`;
}

function deleter(bound: TableBound): string {
  switch (bound.by) {
    case "owner row":
      return `the database, with its row of \`${bound.of}\``;
    case "nature":
      return "nothing needs to";
    case "age":
      return bound.setting === undefined ? bound.who : `${bound.who} (\`${bound.setting}\`)`;
    case "number":
    case "persons":
      return bound.who;
  }
}
