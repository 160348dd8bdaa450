// Made from the description of /v1 by scripts/generate-docs.mjs: do not edit.

export interface Account {
  id: number;
  email: string;
  name: string;
}

/** Activates a scene of the account. */
export interface ActivateSceneAction {
  type: "scene";
  sceneId: number;
}

/** All of them hold; true when there are none. */
export interface AllCondition {
  type: "all";
  conditions: AutomationCondition[];
}

/** At least one of them holds; false when there are none. */
export interface AnyCondition {
  type: "any";
  conditions: AutomationCondition[];
}

/** An addition beyond the contract: a value of any device of the household starts to satisfy a comparison: a battery below 20 %, whichever it is. Devices that are added later count too. */
export interface AnyStateTrigger {
  type: "any_state";
}

export interface AnyStateTriggerChoice {
  type: "any_state";
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Only devices of this product type. */
  deviceType?: string;
  /** Only when it has held this long at one device without a break; survives a restart of the hub. */
  forSeconds?: number;
  /** One of a list. */
  op: "in";
  value: unknown[];
}

export interface AnyStateTriggerEquality {
  type: "any_state";
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Only devices of this product type. */
  deviceType?: string;
  /** Only when it has held this long at one device without a break; survives a restart of the hub. */
  forSeconds?: number;
  /** Equal, not equal, or contained. */
  op: "eq" | "ne" | "contains";
  /** Any JSON value. */
  value: unknown;
}

export interface AnyStateTriggerOrder {
  type: "any_state";
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Only devices of this product type. */
  deviceType?: string;
  /** Only when it has held this long at one device without a break; survives a restart of the hub. */
  forSeconds?: number;
  /** Greater or less than a number. */
  op: "gt" | "gte" | "lt" | "lte";
  value: number;
}

export interface AnyStateTriggerTruth {
  type: "any_state";
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Only devices of this product type. */
  deviceType?: string;
  /** Only when it has held this long at one device without a break; survives a restart of the hub. */
  forSeconds?: number;
  /** Whether the value counts as true; takes no `value`. */
  op: "truthy" | "falsy";
}

/** An addition beyond the contract: whichever of these triggers comes first. */
export interface AnyTrigger {
  type: "any";
  triggers: AutomationSimpleTrigger[];
}

export interface AuthInfo {
  method: "api_key" | "session";
  /** Name of the key; `console` for a session. */
  keyName: string;
  env: "live" | "test";
  /** The scopes the credential actually holds. */
  scopes: (
    | "devices:read"
    | "devices:write"
    | "devices:control"
    | "telemetry:read"
    | "rooms:read"
    | "scenes:read"
    | "scenes:run"
    | "automations:read"
    | "automations:write"
    | "events:read"
    | "plates:read"
    | "plates:write"
    | "telemetry:export"
    | "gate:confirm"
    | "estate:read"
  )[];
}

export interface Automation {
  id: number;
  name: string;
  enabled: boolean;
  trigger: AutomationTrigger;
  conditions: AutomationCondition[];
  action: AutomationAction;
  mode: "single" | "restart" | "queued" | "parallel";
  cooldownSeconds: number;
  /** When it last began to run. */
  lastTriggeredAt: string | null;
  /** How its last run ended; paused: the hub switched it off because it ran more than 60 times in a minute. */
  lastResult: "ok" | "failed" | "stopped" | "paused" | null;
  createdAt: string;
  updatedAt: string;
  /** For `If-Match`, with its quotes: names what can be edited in the rule. A run of the rule does not change it. */
  etag: string;
  /** The key that wrote it. Null: the household itself. For signed-in owners only. */
  author?: AutomationAuthor | null;
}

/** What the rule does. Sequences nest up to eight deep. */
export type AutomationAction =
  | CommandAction
  | NotifyAction
  | ActivateSceneAction
  | SetHouseAction
  | DelayAction
  | SequenceAction
  | EitherAction;

export interface AutomationAnswer {
  automation: Automation;
}

/** The key that wrote a rule, and whether it may do all that the rule does. */
export interface AutomationAuthor {
  keyId: number;
  name: string;
  /** While it may not, the rule does not run. */
  mayRun: boolean;
}

/** What must hold for the rule to run. Groups nest up to eight deep. */
export type AutomationCondition =
  | StateCondition
  | TimeCondition
  | DaysCondition
  | SunCondition
  | OccupancyCondition
  | HouseCondition
  | PresenceCondition
  | AllCondition
  | AnyCondition
  | NotCondition;

export interface AutomationInput {
  /** Trimmed; without control characters. */
  name: string;
  /** Whether it runs; true unless given. */
  enabled?: boolean;
  trigger: AutomationTrigger;
  /** All must hold at the moment of the trigger; none unless given. */
  conditions?: AutomationCondition[];
  action: AutomationAction;
  /** When it triggers while a run still waits in a delay: single (unless given) ignores it, restart begins anew, queued runs it afterwards (at most 10 wait), parallel runs beside it (at most 10). */
  mode?: "single" | "restart" | "queued" | "parallel";
  /** Least time between two runs; 0 unless given. */
  cooldownSeconds?: number;
}

export interface AutomationList {
  automations: Automation[];
}

export interface AutomationPatch {
  /** Trimmed; without control characters. */
  name?: string;
  enabled?: boolean;
  trigger?: AutomationTrigger;
  conditions?: AutomationCondition[];
  action?: AutomationAction;
  mode?: "single" | "restart" | "queued" | "parallel";
  cooldownSeconds?: number;
  /** Taken from an answer: ignored. */
  id?: unknown;
  /** Taken from an answer: ignored. */
  lastTriggeredAt?: unknown;
  /** Taken from an answer: ignored. */
  lastResult?: unknown;
  /** Taken from an answer: ignored. */
  createdAt?: unknown;
  /** Taken from an answer: ignored. */
  updatedAt?: unknown;
  /** Taken from an answer: ignored. */
  author?: unknown;
  /** Taken from an answer: ignored. */
  etag?: unknown;
}

/** An addition beyond the contract: the picture that it carries. Needs the scope plates:read. */
export type AutomationPicture = ReadPicture | CameraPicture;

/** One of several triggers. */
export type AutomationSimpleTrigger =
  | TimeTrigger
  | SunTrigger
  | IntervalTrigger
  | StateTrigger
  | DeviceTrigger
  | PlateTrigger
  | OccupancyTrigger
  | EventTrigger
  | HouseTrigger
  | PresenceTrigger
  | AnyStateTrigger;

/** What makes the rule run. An unknown type is refused. */
export type AutomationTrigger =
  | TimeTrigger
  | SunTrigger
  | IntervalTrigger
  | StateTrigger
  | DeviceTrigger
  | PlateTrigger
  | OccupancyTrigger
  | EventTrigger
  | HouseTrigger
  | PresenceTrigger
  | AnyStateTrigger
  | AnyTrigger;

export interface Button {
  kind: "button";
  /** `open`, `close`, `stop`, `lock`, `unlock`, `capture`; an open list. */
  name: string;
  /** In English, for who has no word of its own for the field. */
  label: string;
  /** Sent when it is pressed. */
  command: { [key: string]: unknown };
  /** Ask before sending: it lets somebody in. */
  confirm: boolean;
}

export interface CameOnline {
  online: true;
  lastSeen: string | null;
  firmware: string | null;
  /** There, and true, when the delivery is a test or comes from the simulated household. */
  test?: true;
}

/** What a camera shows at that moment. */
export interface CameraPicture {
  type: "camera";
  /** A device of the calling account. */
  deviceId: string;
}

/** For drawing the device without knowing its type. */
export interface Capabilities {
  icon: string;
  /** It lets somebody in: ask before sending what does not close, lock or stop it. */
  barrier: boolean;
  /** A relay or a shutter by its make, which may be what moves a gate: with the type `gate` it is handled as one. */
  movesGates?: true;
  /** Names for the energy series. */
  metrics: string[];
  controls: (Toggle | Range | Choice | Button)[];
  /** Values of the state worth showing large. */
  readings: {
    /** The key of the device's state that it shows and changes. */
    field: string;
    /** In English, for who has no word of its own for the field. */
    label: string;
    unit: string;
  }[];
}

export interface Choice {
  kind: "choice";
  /** The key of the device's state that it shows and changes. */
  field: string;
  /** In English, for who has no word of its own for the field. */
  label: string;
  options: {
    value: unknown;
    /** In English, for who has no word of its own for the field. */
    label: string;
    /** Sent to choose it. */
    command: { [key: string]: unknown };
  }[];
}

export interface Command {
  /** `commandId` of the answer to the command. */
  id: number;
  deviceId: string;
  /** `pending`: it waits for a device that is away. `sent`: it went to the device's connection. `acknowledged`: the device has it (MQTT PUBACK), or its state shows that it was carried out. `failed`, `expired`: see `reason`. The last three are final. */
  status: "pending" | "sent" | "acknowledged" | "failed" | "expired";
  /** `device_away`: the device did not come in time. `no_answer`: it was sent, and nothing came back in time; whether it was carried out is not known. `not_done`: as far as its state shows the device did not carry it out. */
  reason: "device_away" | "no_answer" | "not_done" | null;
  /** When it was accepted. */
  at: string;
  /** It is not delivered after this. */
  expiresAt: string;
  acknowledgedAt: string | null;
  /** The device's next change of state. */
  answeredAt: string | null;
  /** Keys of the state that changed then. */
  changed: string[] | null;
}

export interface CommandAccepted {
  accepted: boolean;
  deviceId: string;
  /** The forwarded command. */
  command: { [key: string]: unknown };
  /** An addition beyond the contract: what `GET /v1/commands/{id}` and the stream's `command.changed` name it by. */
  commandId: number;
}

/** Sends a command to a device. */
export interface CommandAction {
  type: "command";
  /** A device of the calling account. */
  deviceId: string;
  /** Any JSON object, forwarded unchanged, as for the command endpoint. */
  command: {
    [key: string]: unknown;
  };
}

export interface CommandAnswer {
  command: Command;
}

export interface CommandFailedDelivery {
  /** The same in every attempt: drop what you have seen. */
  id: string;
  event: "command.failed";
  deviceId: string;
  data: FailedCommand;
  /** When it happened. */
  at: string;
}

/** Today is one of these days. */
export interface DaysCondition {
  type: "days";
  /** ISO weekdays: 1 = Monday … 7 = Sunday; 0 is accepted as Sunday too. Empty or absent means every day. */
  days: number[];
}

/** Waits. What follows in the sequence goes on afterwards. */
export interface DelayAction {
  type: "delay";
  /** How long to wait; survives a restart of the hub. */
  seconds: number;
}

export interface Deleted {
  deleted: boolean;
}

export interface DeliveredSample {
  at: string;
  data: { [key: string]: unknown };
}

export interface Device {
  /** Chosen when the device is created; also its MQTT user name. */
  id: string;
  name: string;
  /** Product type. An open list: home-hub, smart-plug, camera, sentinel, light, dimmer, fan, … */
  type: string;
  /** Room name; null while the device is in none. */
  room: string | null;
  favorite: boolean;
  /** From the MQTT session, its last will and the device's own status messages. */
  online: boolean;
  /** When the device last sent anything; null before its first message. */
  lastSeen: string | null;
  firmware: string | null;
  /** Merge of all state messages; the keys depend on the product. */
  state: { [key: string]: unknown };
  model?: string | null;
  manufacturer?: string | null;
  createdAt?: string;
  /** When a key of `state` last changed. */
  stateAt?: string | null;
  /** Radio signal in percent, where the device reports it. */
  signal?: number | null;
  /** Battery charge in percent, where the device reports it. */
  battery?: number | null;
  capabilities?: Capabilities;
  /** Id of the device whose state says whether this gate or lock is open, where a person has named one. */
  contact?: string;
  /** True for the simulated household behind test keys. */
  simulated?: boolean;
}

export interface DeviceAnswer {
  device: Device;
}

export interface DeviceEventDelivery {
  /** The same in every attempt: drop what you have seen. */
  id: string;
  event: "device.event";
  deviceId: string;
  data: DeviceReport;
  /** When it happened. */
  at: string;
}

export interface DeviceHistory {
  deviceId: string;
  /** Null for a device that has no history. */
  metric: string | null;
  /** Every metric of the device that has a history. */
  metrics: string[];
  /** The household's zone: buckets of half an hour and more begin at its midnight. */
  timeZone: string;
  from: string;
  to: string;
  /** Length of a bucket. 0: nothing was thinned, every point is one sample. */
  stepSeconds: number;
  /** Oldest first; buckets without samples are left out. */
  series: HistoryPoint[];
}

export interface DeviceList {
  devices: Device[];
}

/** At least one field; unknown fields are refused. */
export interface DevicePatch {
  /** Trimmed; without control characters. */
  name?: string;
  /** Room name; a new name creates the room, names are compared without case. Empty or null takes the device out of its room. Trimmed; without control characters. */
  room?: string | null;
  favorite?: boolean;
}

export interface DeviceReport {
  kind: string;
  title: string;
  body: string;
  /** There, and true, when the delivery is a test or comes from the simulated household. */
  test?: true;
}

/** A device goes online or offline. */
export interface DeviceTrigger {
  type: "device";
  /** A device of the calling account. */
  deviceId: string;
  /** What happened. */
  event: "online" | "offline";
}

/** An addition beyond the contract, as a rule's whole action: `do` where the conditions hold, else `otherwise`. */
export interface EitherAction {
  type: "either";
  do: AutomationAction;
  otherwise: AutomationAction;
}

export interface EnergyBucket {
  /** Start of the bucket: a whole UTC hour, or local midnight of the hub's time zone. */
  at: string;
  /** Arithmetic mean of the samples in the bucket. */
  avg: number;
  max: number;
}

export interface EnergySeries {
  deviceId: string;
  metric: string;
  granularity: "hour" | "day";
  /** Sum over the buckets of avg × hours the bucket covers inside the window ÷ 1000, to three decimals. 0 when there are no samples. */
  kwh: number;
  /** Oldest first; buckets without samples are left out. */
  series: EnergyBucket[];
}

export interface ErrorBody {
  error: ErrorInfo;
}

export interface ErrorDetail {
  /** JSON pointer into the body, or the name of a query or path parameter. */
  field: string;
  code: string;
  message: string;
  /** What the text says, as a code with values, for pages in other languages. Absent where there is none. */
  words?: { [key: string]: unknown };
  /** What a text for the code needs, such as `limit`: a program can say in its own words what is wrong. */
  values?: { [key: string]: unknown };
}

/** Some codes bring further members, such as requiredScope, ruleId, deviceIds or retryAfterSeconds. */
export interface ErrorInfo {
  /** Stable, for programs. New codes may appear; treat an unknown one by its HTTP status. */
  code: string;
  /** For people. May change at any time. */
  message: string;
  /** Also in X-Request-Id and in the hub's log. */
  requestId: string;
  /** What the text says, as a code with values, for pages in other languages. Absent where there is none. */
  words?: { [key: string]: unknown };
  /** Why single fields were refused; empty for every other error. */
  details: ErrorDetail[];
  [key: string]: unknown;
}

export interface EstateHub {
  id: string;
  name: string;
}

export interface EstateOccupancy {
  estate: Occupancy;
  parts: PartOccupancy[];
  /** Until when this hub knows of all gates; now, where it is joined and has everything. */
  currentAt: string | null;
}

export interface EstatePlateList {
  /** Newest first. */
  plates: EstateSighting[];
}

export interface EstateSighting {
  /** Unique in the estate. */
  id: string;
  hub: EstateHub;
  /** Part of the site that the hub guards. */
  part: string;
  /** The camera, at its hub. */
  deviceId: string;
  /** Its name. */
  camera: string;
  /** Normalised. */
  plate: string;
  formatted: string;
  decision: "allow" | "deny" | "watch" | "unknown";
  direction: "in" | "out" | null;
  confidence: number;
  /** Of the rule that decided; may be empty. */
  label: string;
  /** By the estate's clock. */
  at: string;
}

export interface EstateVehicle {
  plate: string;
  inside: boolean;
  /** Newest first. */
  visits: EstateVisit[];
}

export interface EstateVisit {
  part: string;
  entryAt: string | null;
  exitAt: string | null;
  entryHub: EstateHub | null;
  exitHub: EstateHub | null;
  status: "open" | "closed" | "entry_missed" | "exit_missed";
  staySeconds: number | null;
}

export interface EventList {
  /** Newest first. */
  events: FeedItem[];
}

/** A device reports an event. */
export interface EventTrigger {
  type: "event";
  /** A device of the calling account. */
  deviceId: string;
  /** The kind that the device sends. */
  kind: string;
}

export interface FailedCommand {
  /** As in the 202 of the command. */
  commandId: number;
  status: "failed" | "expired";
  /** As in `GET /v1/commands/{id}`. */
  reason: "device_away" | "no_answer" | "not_done";
  /** There, and true, when the delivery is a test or comes from the simulated household. */
  test?: true;
}

export interface FeedItem {
  id: number;
  deviceId: string | null;
  /** What happened. An open list; show unknown kinds by their title. Known: device.added, device.removed, device.online, device.offline, device.firmware, device.event, command.failed, gate.opened, gate.not_opened, gate.not_closed, gate.asked, gate.kept_shut, gate.followed, guest.plate, scene.activated, house.mode, automation.fired, automation.failed, automation.paused, automation.notify, automation.private, plate.allowed, plate.denied, plate.watch, plate.unknown, plate.unrecognised, occupancy.full, estate.late_ban, estate.rule_dropped, estate.rule_settled, webhook.disabled, webhook.enabled, key.created, key.revoked, security.login, security.login_failed, security.password_changed, security.grants_ended, security.restored, security.passkey_added, security.passkey_removed, system.started, system.update, system.backup, system.storage, system.storage_low, system.clock. */
  kind: string;
  title: string;
  /** May be empty, never null. */
  body: string;
  /** The same in a form that other languages are made from: `code` and the values that stand in title and body. Absent where there is none. */
  words?: { [key: string]: unknown };
  /** Whether the account holder has seen it in the console. */
  read: boolean;
  at: string;
}

export interface GateAnswer {
  /** True: the gate is told to open. False: it stays shut. */
  open: boolean;
}

export interface GateFollowedDelivery {
  /** The same in every attempt: drop what you have seen. */
  id: string;
  event: "gate.followed";
  deviceId: string;
  data: ReportedFollower;
  /** When it happened. */
  at: string;
}

export interface GateOutcome {
  /** The gate; null where none was told. */
  deviceId: string | null;
  /** `waiting`: told, nothing has come back yet. `opened`: its state shows it. `taken`: it acknowledged the command and does not report how it stands. `not_opened`, `not_told`: see `reason`. What the gate says later corrects it. */
  result: "waiting" | "opened" | "taken" | "not_opened" | "not_told";
  /** Of `not_opened`: `offline`, `no_answer`, `not_moved` (it has the command and did not move), `not_sent`. Of `not_told`: `no_rule`, `denied`, `beside_denied` (the same picture shows a denied vehicle), `watched`, `outside_hours` (a rule names the plate, at other times), `not_recognised`, `not_sure`, `late` (the picture came too late), `repeated` (the same picture was shown before), `no_gate` (this camera opens none), `same_pass` (it was told just before, for the same vehicle), `noted` (its plate is only noted), `asked` (somebody is asked, and has not answered yet), `unanswered` (nobody answered in time), `kept_shut` (somebody decided so), `next_vehicle` (another one came before the answer), `rule_changed` (its rule or the camera changed before the answer), `opened_otherwise` (the gate was opened meanwhile, for somebody else or by hand), `interrupted` (the hub stopped before an answer was recorded), `already_inside` (it came in and was not seen to leave), `elsewhere` (it was at another gate just now), `presented` (it seems not to come on a vehicle; see `odd`). */
  reason:
    | "offline"
    | "no_answer"
    | "not_moved"
    | "not_sent"
    | "no_rule"
    | "denied"
    | "beside_denied"
    | "watched"
    | "outside_hours"
    | "not_recognised"
    | "not_sure"
    | "late"
    | "repeated"
    | "no_gate"
    | "same_pass"
    | "noted"
    | "asked"
    | "unanswered"
    | "kept_shut"
    | "next_vehicle"
    | "rule_changed"
    | "opened_otherwise"
    | "interrupted"
    | "already_inside"
    | "elsewhere"
    | "presented"
    | null;
  /** What is odd about how a listed plate came; empty where nothing is, or it was not looked at. `seen_before`: its frames repeat earlier ones. `stands`: it stands still at first sight, where vehicles come. `one_picture`: only one frame shows it. `off_lane`: vehicles' plates are elsewhere here, or of another size. `track`: it does not move as a plate on a vehicle. `surroundings`: paper, a screen or a hand seems to be around it. `other_vehicle`: the vehicle looks unlike the one on which it came before. `unchecked`: its frames could not be looked at. */
  odd: (
    | "seen_before"
    | "stands"
    | "one_picture"
    | "off_lane"
    | "track"
    | "surroundings"
    | "other_vehicle"
    | "unchecked"
  )[];
  /** When the result became known. */
  settledAt: string | null;
}

export interface GateQuestion {
  /** Cannot be guessed, and is never used again. */
  id: string;
  /** The camera. */
  deviceId: string;
  /** The gate that opens if the answer is yes. */
  gateId: string;
  /** The plate read. */
  readId: number;
  plate: string;
  /** Grouped for display. */
  formatted: string;
  /** Of its rule, such as whose vehicle it is. May be empty. */
  label: string;
  /** `confirm`: a PIN, a tag or a button of the household may answer too. `ask`: only a person. */
  kind: "confirm" | "ask";
  /** `earns`: the household chose so for this plate. `already_inside`: it came in and was not seen to leave. `elsewhere`: it was at another gate just now. `presented`: it seems not to come on a vehicle, see `odd`. `near_miss`: it is on no list, and `meant` may have been misread. */
  askedFor: "earns" | "near_miss" | "presented" | "already_inside" | "elsewhere";
  /** What is odd about how the plate came, as a read has it. */
  odd: (
    | "seen_before"
    | "stands"
    | "one_picture"
    | "off_lane"
    | "track"
    | "surroundings"
    | "other_vehicle"
    | "unchecked"
  )[];
  /** The listed plate that may be meant, grouped for display. */
  meant: string | null;
  /** `asked`: nobody has answered yet. `opened`: the gate was told to open. Else why it stayed shut: `kept_shut` (somebody decided so), `unanswered`, `next_vehicle` (another one came before the answer), `rule_changed`; or `opened_otherwise` (the gate was opened meanwhile). */
  state: "asked" | "opened" | "unanswered" | "kept_shut" | "next_vehicle" | "rule_changed" | "opened_otherwise";
  askedAt: string;
  /** No answer counts later. */
  expiresAt: string;
  /** The picture, while the question waits. */
  imageUrl: string | null;
}

export interface GateQuestionAnswer {
  question: GateQuestion;
}

export interface GateQuestionList {
  questions: GateQuestion[];
}

export interface HistoryPoint {
  /** Start of the bucket; the time of the sample itself where `stepSeconds` is 0. */
  at: string;
  /** Arithmetic mean of the samples in the bucket. */
  avg: number;
  /** Null where it is not known: only an hourly sum of a hub before this operation is left. */
  min: number | null;
  max: number;
}

/** An addition beyond the contract: the house is set to this mode. */
export interface HouseCondition {
  type: "house";
  /** The mode. */
  is: "home" | "away" | "night" | "holiday";
}

/** An addition beyond the contract: the house is set to this mode, having had another. */
export interface HouseTrigger {
  type: "house";
  /** The mode. */
  becomes: "home" | "away" | "night" | "holiday";
}

export interface Index {
  version: string;
  documentation: string;
  openapi: string;
  scopes: ScopeInfo[];
  webhookEvents: string[];
  /** An addition beyond the contract: scopes of operations that are additions. */
  additionalScopes: ScopeInfo[];
  /** An addition beyond the contract: events that a webhook is sent only if it is registered for them by name. */
  additionalWebhookEvents: string[];
}

/** Again and again, counted from when the rule was made or enabled. After a restart the count goes on; missed turns are not made up for. */
export interface IntervalTrigger {
  type: "interval";
  /** Seconds between runs. */
  everySeconds: number;
}

export interface Me {
  account: Account | null;
  /** Devices of the household that the credential sees (live or test). */
  deviceCount: number;
  auth: AuthInfo;
}

export interface NewSamples {
  /** Time of the newest sample. */
  at: string;
  /** The newest sample. */
  data: { [key: string]: unknown };
  /** All samples since the delivery before, the newest among them. */
  samples: DeliveredSample[];
  /** There, and true, when the delivery is a test or comes from the simulated household. */
  test?: true;
}

/** It does not hold. */
export interface NotCondition {
  type: "not";
  condition: AutomationCondition;
}

/** Puts a message into the activity feed, and, unless it is for some persons only, on the notification receiver of the LAN when one is configured. */
export interface NotifyAction {
  type: "notify";
  /** Trimmed; without control characters. */
  title: string;
  body: string;
  /** An addition beyond the contract: whom it is for, `owners` or `person:ID`. Everybody in the household unless given. The activity feed shows it to all the same. */
  to?: string[];
  picture?: AutomationPicture;
}

export interface NotifyDelivery {
  /** The same in every attempt: drop what you have seen. */
  id: string;
  event: "automation.notify";
  /** A message belongs to no device. */
  deviceId: null;
  data: RuleMessage;
  /** When it happened. */
  at: string;
}

export interface Occupancy {
  /** Open visits. */
  inside: number;
  /** Null: capacity is not managed, which is different from 0. */
  capacity: number | null;
  free: number | null;
  /** Reported only: the gate still opens for an allowed vehicle. */
  full: boolean;
  /** May pass 100. */
  percent: number | null;
}

/** The number of vehicles inside satisfies a comparison. */
export interface OccupancyCondition {
  type: "occupancy";
  /** The comparison. */
  op: "eq" | "ne" | "gt" | "gte" | "lt" | "lte";
  value: number;
}

/** The number of vehicles inside starts to satisfy a comparison. */
export interface OccupancyTrigger {
  type: "occupancy";
}

export interface OccupancyTriggerChange {
  type: "occupancy";
  /** Fires on every change; takes no `value`. */
  op: "changed";
}

export interface OccupancyTriggerCount {
  type: "occupancy";
  /** Fires when it starts to hold. */
  op: "eq" | "ne" | "gt" | "gte" | "lt" | "lte";
  /** Vehicles inside. */
  value: number;
}

export interface OfflineDelivery {
  /** The same in every attempt: drop what you have seen. */
  id: string;
  event: "device.offline";
  deviceId: string;
  data: WentOffline;
  /** When it happened. */
  at: string;
}

export interface OnlineDelivery {
  /** The same in every attempt: drop what you have seen. */
  id: string;
  event: "device.online";
  deviceId: string;
  data: CameOnline;
  /** When it happened. */
  at: string;
}

export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    [key: string]: unknown;
  };
  paths: {
    [key: string]: unknown;
  };
  [key: string]: unknown;
}

export interface PairedKey {
  /** The API key. */
  access_token: string;
  token_type: "Bearer";
  /** What was approved: it may be less than was asked for. */
  scope: string;
}

export interface PairingCodes {
  /** The app's secret: it fetches the key. */
  device_code: string;
  /** What the person types. */
  user_code: string;
  verification_uri: string;
  /** With the code, for a QR code. */
  verification_uri_complete: string;
  /** Seconds. */
  expires_in: number;
  /** Seconds between two questions. */
  interval: number;
}

export interface PairingRequest {
  /** What the person is shown as the app's name. Trimmed; without control characters. */
  client_name: string;
  /** Scopes with blanks between them. */
  scope: string;
}

export interface PairingTokenRequest {
  grant_type: "urn:ietf:params:oauth:grant-type:device_code";
  device_code: string;
}

export interface PartOccupancy {
  part: string;
  name: string;
  inside: number;
  capacity: number | null;
  free: number | null;
  full: boolean;
  percent: number | null;
}

export interface PlateList {
  /** Newest first. */
  plates: PlateRead[];
}

export interface PlateRead {
  id: number;
  /** The camera. */
  deviceId: string;
  /** The burst of frames that this read comes from; several vehicles in one burst share it. */
  captureId: number;
  /** Normalised: capital letters and digits only. */
  plate: string | null;
  /** Grouped for display. */
  formatted: string | null;
  confidence: number;
  /** Frames of the burst that produced this plate. */
  votes: number;
  /** Frames that the recogniser was run on. */
  samples: number;
  plateKind: "standard" | "bharat" | "legacy" | "unknown";
  status: "recognised" | "unrecognised";
  /** Why an unrecognised read failed; null for a recognised one. */
  reason: "no_recogniser" | "no_plate" | "invalid_format" | "timeout" | "provider_error" | null;
  /** Deny wins over allow, allow over watch; unknown when no rule in force names the plate. */
  decision: "allow" | "deny" | "watch" | "unknown";
  /** Null when it could not be resolved; never guessed. */
  direction: "in" | "out" | null;
  trigger: "motion" | "loop" | "manual" | "periodic";
  /** False once the image has expired. */
  hasImage: boolean;
  imageUrl: string | null;
  at: string;
  /** An addition beyond the contract: whether the gate was told to open, and what became of it. Null for reads from before this was recorded. */
  gate: GateOutcome | null;
  /** An addition beyond the contract: the label of the rule that decided, such as whose vehicle it is. May be empty. */
  label: string;
}

export interface PlateReadDelivery {
  /** The same in every attempt: drop what you have seen. */
  id: string;
  event: "plate.read";
  deviceId: string;
  data: ReportedPlateRead;
  /** When it happened. */
  at: string;
}

export interface PlateRule {
  id: number;
  /** Normalised by the analyser that camera reads pass through. */
  plate: string;
  formatted: string;
  kind: "allow" | "deny" | "watch";
  /** May be empty. */
  label: string;
  /** One camera, or null for every camera of the account. */
  deviceId: string | null;
  validFrom: string | null;
  validTo: string | null;
  /** An addition beyond the contract: the rule holds in these times of the week only, within validFrom and validTo. Empty: at all times. */
  windows: PlateRuleWindow[];
  /** An addition beyond the contract: what the plate of an `allow` rule earns at the gate. `open`: it opens. `confirm`: it opens after somebody has confirmed. `ask`: a person decides, who sees the picture. `note`: the gate stays shut. Null: what the defaults of the household say, and without any it opens. */
  earns: "open" | "confirm" | "ask" | "note" | null;
  enabled: boolean;
  /** Reads that this rule decided. */
  hits: number;
}

export interface PlateRuleAnswer {
  rule: PlateRule;
}

/** Unknown fields are refused. */
export interface PlateRuleInput {
  /** Spacing, dashes and letter case do not matter. Trimmed; without control characters. */
  plate: string;
  /** `allow` unless given. */
  kind?: "allow" | "deny" | "watch";
  /** Trimmed; without control characters. */
  label?: string;
  /** A camera of the account; null or absent for all. */
  deviceId?: string | null;
  /** Must lie before validTo. */
  validFrom?: string | null;
  /** For a contractor or visitor. */
  validTo?: string | null;
  /** An addition beyond the contract: the rule holds in these times of the week only, within validFrom and validTo. Empty: at all times. */
  windows?: PlateRuleWindow[];
  /** An addition beyond the contract: what the plate of an `allow` rule earns at the gate. `open`: it opens. `confirm`: it opens after somebody has confirmed. `ask`: a person decides, who sees the picture. `note`: the gate stays shut. Null: what the defaults of the household say, and without any it opens. */
  earns?: "open" | "confirm" | "ask" | "note" | null;
}

export interface PlateRuleList {
  rules: PlateRule[];
}

export interface PlateRuleWindow {
  /** 1 = Monday … 7 = Sunday: the day on which it opens. */
  days: number[];
  /** Inclusive, by the clock of the household. */
  from: string;
  /** Exclusive. At or before `from` it reaches over midnight; from 00:00 to 00:00 is the whole day. */
  to: string;
}

/** A vehicle passes a camera. Every filter that is given must match; it fires once per pass. */
export interface PlateTrigger {
  type: "plate";
  /** A device of the calling account. */
  deviceId?: string;
  /** A number plate; spacing, dashes and case do not matter. */
  plate?: string;
  /** Only passes with this decision. */
  decision?: "allow" | "deny" | "watch" | "unknown";
  /** Only passes in this direction. */
  direction?: "in" | "out";
}

/** An addition beyond the contract: a person is home or away; without `person` somebody is home, or nobody is. It does not hold where nothing is known. */
export interface PresenceCondition {
  type: "presence";
  /** Where. */
  is: "home" | "away";
  /** A person of the household. */
  person?: number;
}

/** An addition beyond the contract: a person comes home or leaves; without `person` the first one comes home, or the last one leaves. What is first known of somebody is no change. */
export interface PresenceTrigger {
  type: "presence";
  /** What happens. */
  event: "arrives" | "leaves";
  /** A person of the household. */
  person?: number;
}

export interface Range {
  kind: "range";
  /** The key of the device's state that it shows and changes. */
  field: string;
  /** In English, for who has no word of its own for the field. */
  label: string;
  min: number;
  max: number;
  step: number;
  unit: string;
  /** Key of the command that takes the number. */
  key: string;
}

/** Of the plate read that set the rule off. */
export interface ReadPicture {
  type: "read";
}

export interface ReportedFollower {
  /** Followers of this opening so far. */
  vehicles: number;
  /** Null where the loop counted it. */
  plate: string | null;
  /** Id of the read in `GET /v1/plates`. */
  readId: number | null;
  /** There, and true, when the delivery is a test or comes from the simulated household. */
  test?: true;
}

export interface ReportedPlateRead {
  /** Id of the read in `GET /v1/plates`. */
  readId: number;
  plate: string | null;
  formatted: string | null;
  confidence: number;
  decision: "allow" | "deny" | "watch" | "unknown";
  direction: "in" | "out" | null;
  status: "recognised" | "unrecognised";
  /** There, and true, when the delivery is a test or comes from the simulated household. */
  test?: true;
}

export interface Room {
  id: number;
  name: string;
  /** Name of an icon of the console. */
  icon: string;
  /** Place in lists, ascending. */
  sort: number;
  deviceCount: number;
}

export interface RoomList {
  rooms: Room[];
}

export interface RuleMessage {
  title: string;
  body: string;
  /** There, and true, when the delivery is a test or comes from the simulated household. */
  test?: true;
}

export interface Scene {
  id: number;
  name: string;
  icon: string | null;
  actions: SceneStep[];
  /** False where the owner who wrote it is an owner no more: nothing runs it until an owner has looked at it and saved it. */
  enabled: boolean;
  /** An addition beyond the contract, only in scenes that have it: what it also sets the house to. */
  houseMode?: "home" | "away" | "night" | "holiday";
  lastActivatedAt: string | null;
}

export interface SceneActivated {
  accepted: boolean;
  /** Name of the scene. */
  scene: string;
  /** Commands that the broker accepted. */
  sent: number;
  /** Device ids. */
  skipped: string[];
}

export interface SceneList {
  scenes: Scene[];
}

export interface SceneStep {
  deviceId: string;
  /** As for the command endpoint. */
  command: { [key: string]: unknown };
}

export interface ScopeInfo {
  scope: string;
  description: string;
}

/** Several actions in order. */
export interface SequenceAction {
  type: "sequence";
  actions: AutomationAction[];
}

/** An addition beyond the contract: sets the house to a mode. */
export interface SetHouseAction {
  type: "house";
  /** The mode. */
  mode: "home" | "away" | "night" | "holiday";
}

export interface StateChange {
  /** The whole state after the change. */
  state: { [key: string]: unknown };
  /** Keys of `state` whose values have changed. */
  changed: string[];
  /** What those keys held before; absent where there was nothing. */
  previous: { [key: string]: unknown };
  /** Whose doing it was, as far as the hub can tell. */
  source: "device" | "api" | "console" | "scene" | "automation";
  /** There, and true, when the delivery is a test or comes from the simulated household. */
  test?: true;
}

/** A value of a device's state satisfies a comparison now. */
export interface StateCondition {
  type: "state";
}

export interface StateConditionChoice {
  type: "state";
  /** A device of the calling account. */
  deviceId: string;
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** One of a list. */
  op: "in";
  value: unknown[];
}

export interface StateConditionEquality {
  type: "state";
  /** A device of the calling account. */
  deviceId: string;
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Equal, not equal, or contained. */
  op: "eq" | "ne" | "contains";
  /** Any JSON value. */
  value: unknown;
}

export interface StateConditionOrder {
  type: "state";
  /** A device of the calling account. */
  deviceId: string;
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Greater or less than a number. */
  op: "gt" | "gte" | "lt" | "lte";
  value: number;
}

export interface StateConditionTruth {
  type: "state";
  /** A device of the calling account. */
  deviceId: string;
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Whether the value counts as true; takes no `value`. */
  op: "truthy" | "falsy";
}

export interface StateDelivery {
  /** The same in every attempt: drop what you have seen. */
  id: string;
  event: "device.state";
  deviceId: string;
  data: StateChange;
  /** When it happened. */
  at: string;
}

/** A value of a device's state starts to satisfy a comparison (false → true, not on every message); `changed` fires on every change of the value. The first value after a start of the hub is no change. */
export interface StateTrigger {
  type: "state";
}

export interface StateTriggerChoice {
  type: "state";
  /** A device of the calling account. */
  deviceId: string;
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Only when it has held this long without a break; survives a restart of the hub. */
  forSeconds?: number;
  /** One of a list. */
  op: "in";
  value: unknown[];
}

export interface StateTriggerEquality {
  type: "state";
  /** A device of the calling account. */
  deviceId: string;
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Only when it has held this long without a break; survives a restart of the hub. */
  forSeconds?: number;
  /** Equal, not equal, or contained. */
  op: "eq" | "ne" | "contains";
  /** Any JSON value. */
  value: unknown;
}

export interface StateTriggerOrder {
  type: "state";
  /** A device of the calling account. */
  deviceId: string;
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Only when it has held this long without a break; survives a restart of the hub. */
  forSeconds?: number;
  /** Greater or less than a number. */
  op: "gt" | "gte" | "lt" | "lte";
  value: number;
}

export interface StateTriggerTruth {
  type: "state";
  /** A device of the calling account. */
  deviceId: string;
  /** A key of the device's state; `a.b` reaches into a nested object. */
  field: string;
  /** Only when it has held this long without a break; survives a restart of the hub. */
  forSeconds?: number;
  /** Counts as true or as false, or has changed; takes no `value`. */
  op: "truthy" | "falsy" | "changed";
}

export interface StreamCommandChanged {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "command.changed";
  deviceId: string | null;
  data: StreamedCommand;
  at: string;
}

export interface StreamDeviceEdited {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "device.edited";
  deviceId: string | null;
  data: StreamedEdit;
  at: string;
}

export interface StreamDeviceEvent {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "device.event";
  deviceId: string | null;
  data: StreamedDeviceEvent;
  at: string;
}

export interface StreamDeviceOffline {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "device.offline";
  deviceId: string | null;
  data: StreamedOffline;
  at: string;
}

export interface StreamDeviceOnline {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "device.online";
  deviceId: string | null;
  data: StreamedOnline;
  at: string;
}

export interface StreamDeviceState {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "device.state";
  deviceId: string | null;
  data: StreamedState;
  at: string;
}

export interface StreamDeviceTelemetry {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "device.telemetry";
  deviceId: string | null;
  data: StreamedSample;
  at: string;
}

export interface StreamedCommand {
  commandId: number;
  status: "pending" | "sent" | "acknowledged" | "failed" | "expired";
  reason: "device_away" | "no_answer" | "not_done" | null;
}

export interface StreamedDeviceEvent {
  kind: string;
  title: string;
  body: string;
}

export interface StreamedEdit {
  what: "added" | "edited" | "removed";
}

export interface StreamedFeedItem {
  itemId: number;
  kind: string;
  title: string;
  body: string;
}

export interface StreamedGateQuestion {
  questionId: string;
  readId: number;
  state: "asked" | "opened" | "unanswered" | "kept_shut" | "next_vehicle" | "rule_changed" | "opened_otherwise";
}

export interface StreamedOccupancy {
  inside: number;
  previous: number;
}

export interface StreamedOffline {
  online: false;
}

export interface StreamedOnline {
  online: true;
}

export interface StreamedOpening {
  openingId: number;
  /** The plate read that it was for. */
  readId: number | null;
  by: "person" | "key" | "automation" | "scene" | "plate" | "device" | "hub";
  /** Of the person, the key, the rule or the scene. */
  name: string | null;
  result: "waiting" | "opened" | "taken" | "not_opened";
  reason: "offline" | "no_answer" | "not_moved" | "not_sent" | null;
}

export interface StreamedPlateRead {
  readId: number;
  plate: string | null;
  decision: "allow" | "deny" | "watch" | "unknown";
  direction: "in" | "out" | null;
  status: "recognised" | "unrecognised";
  firstOfPass: boolean;
}

export interface StreamedSample {
  at: string;
  data: { [key: string]: unknown };
}

export interface StreamedScene {
  sceneId: number;
  name: string;
}

export interface StreamedState {
  /** The whole state after the change. */
  state: { [key: string]: unknown };
  changed: string[];
  /** What the changed keys held before. */
  previous: { [key: string]: unknown };
  source: "device" | "api" | "console" | "scene" | "automation";
}

export interface StreamedVisit {
  visitId: number;
  plate: string;
  status: string;
}

export interface StreamFeedAdded {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "feed.added";
  deviceId: string | null;
  data: StreamedFeedItem;
  at: string;
}

export interface StreamGap {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "stream.gap";
  deviceId: string | null;
  data: StreamGapData;
  at: string;
}

export interface StreamGapData {
  reason: "too_old" | "restarted" | "unknown_id";
  /** Events that may be missing. */
  types: string[];
}

export interface StreamGateOpening {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "gate.opening";
  deviceId: string | null;
  data: StreamedOpening;
  at: string;
}

export interface StreamGateQuestion {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "gate.question";
  deviceId: string | null;
  data: StreamedGateQuestion;
  at: string;
}

export interface StreamOccupancyChanged {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "occupancy.changed";
  deviceId: string | null;
  data: StreamedOccupancy;
  at: string;
}

export interface StreamPlateRead {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "plate.read";
  deviceId: string | null;
  data: StreamedPlateRead;
  at: string;
}

export interface StreamReady {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "stream.ready";
  deviceId: string | null;
  data: StreamReadyData;
  at: string;
}

export interface StreamReadyData {
  resumed: boolean;
}

export interface StreamSceneActivated {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "scene.activated";
  deviceId: string | null;
  data: StreamedScene;
  at: string;
}

export interface StreamVisitChanged {
  /** Position in the stream, as in the `id` line. */
  id: string;
  event: "visit.changed";
  deviceId: string | null;
  data: StreamedVisit;
  at: string;
}

/** The sun is up or down at the site. */
export interface SunCondition {
  type: "sun";
  /** Above or below the horizon. */
  is: "up" | "down";
}

/** At sunrise or sunset of the site's coordinates. On a day without that event (polar day or night) it does not run. */
export interface SunTrigger {
  type: "sun";
  /** Which end of the day. */
  event: "sunrise" | "sunset";
  /** Minutes after (before, when negative) the event; 0 by default. */
  offsetMinutes?: number;
  /** ISO weekdays: 1 = Monday … 7 = Sunday; 0 is accepted as Sunday too. Empty or absent means every day. */
  days?: number[];
}

export interface TelemetryDelivery {
  /** The same in every attempt: drop what you have seen. */
  id: string;
  event: "device.telemetry";
  deviceId: string;
  data: NewSamples;
  /** When it happened. */
  at: string;
}

export interface TelemetryList {
  deviceId: string;
  /** Newest first. */
  telemetry: TelemetrySample[];
}

export interface TelemetrySample {
  /** The device's own time where it sent a plausible one, else when the hub received the sample. */
  at: string;
  data: { [key: string]: unknown };
}

/** Local time is at or after `from` and before `to`; over midnight when `to` is not after `from`. `days` name the day on which the window opened. */
export interface TimeCondition {
  type: "time";
  /** Local clock time HH:MM, 00:00 to 23:59. */
  from: string;
  /** Local clock time HH:MM, 00:00 to 23:59. */
  to: string;
  /** ISO weekdays: 1 = Monday … 7 = Sunday; 0 is accepted as Sunday too. Empty or absent means every day. */
  days?: number[];
}

/** At a local clock time of the site. A time that daylight saving skips runs at the first instant after the gap; a time that comes twice runs once, the first time. */
export interface TimeTrigger {
  type: "time";
  /** Local clock time HH:MM, 00:00 to 23:59. */
  at: string;
  /** ISO weekdays: 1 = Monday … 7 = Sunday; 0 is accepted as Sunday too. Empty or absent means every day. */
  days?: number[];
}

export interface Toggle {
  kind: "toggle";
  /** The key of the device's state that it shows and changes. */
  field: string;
  /** In English, for who has no word of its own for the field. */
  label: string;
  /** Sent to switch it on. */
  on: { [key: string]: unknown };
  /** Sent to switch it off. */
  off: { [key: string]: unknown };
}

export interface Vehicle {
  plate: string;
  formatted: string;
  /** Sightings; reads of one plate at one camera close together are one pass. */
  passes: number;
  entries: number;
  exits: number;
  visits: number;
  /** True while a visit is open. */
  inside: boolean;
  firstSeen: string;
  lastSeen: string;
  /** Over closed visits; null when there is none. */
  averageStaySeconds: number | null;
  /** Over closed visits. */
  totalStaySeconds: number;
  /** Device ids of the cameras that saw the vehicle. */
  cameras: string[];
  /** The list that decides for this plate now; null when it is on none. */
  list: "allow" | "deny" | "watch" | null;
  label: string | null;
}

export interface VehicleHistory {
  plate: string;
  formatted: string;
  passes: number;
  inside: boolean;
  totalStaySeconds: number;
  /** Newest first. */
  visits: Visit[];
}

export interface VehicleList {
  days: number;
  insideNow: number;
  /** Most recently seen first. */
  vehicles: Vehicle[];
}

export interface Visit {
  id: number;
  entryAt: string | null;
  exitAt: string | null;
  entryCamera: string | null;
  exitCamera: string | null;
  /** A missed read is a normal state: pairing recovers at the next clean read. */
  status: "open" | "closed" | "entry_missed" | "exit_missed";
  /** Null, never 0, when an entry or exit read was missed or the visit is open. */
  staySeconds: number | null;
}

export interface WentOffline {
  online: false;
  lastSeen: string | null;
  /** It said goodbye, fell silent, its last will came, or it was removed. */
  reason: "disconnect" | "keepalive" | "will" | "revoked";
  /** There, and true, when the delivery is a test or comes from the simulated household. */
  test?: true;
}

/** An event of `GET /v1/stream`. */
export type HubEvent =
  | StreamReady
  | StreamGap
  | StreamDeviceState
  | StreamDeviceOnline
  | StreamDeviceOffline
  | StreamDeviceTelemetry
  | StreamDeviceEvent
  | StreamDeviceEdited
  | StreamCommandChanged
  | StreamPlateRead
  | StreamGateOpening
  | StreamGateQuestion
  | StreamVisitChanged
  | StreamOccupancyChanged
  | StreamFeedAdded
  | StreamSceneActivated;

/** What is posted to a receiver. */
export type WebhookDelivery =
  | StateDelivery
  | TelemetryDelivery
  | OnlineDelivery
  | OfflineDelivery
  | DeviceEventDelivery
  | PlateReadDelivery
  | GateFollowedDelivery
  | CommandFailedDelivery
  | NotifyDelivery;

/** Every code that the hub refuses with. */
export type ProblemCode =
  | "access_denied"
  | "authorization_pending"
  | "automation_not_found"
  | "body_too_large"
  | "broker_unavailable"
  | "command_not_found"
  | "conflict"
  | "device_not_found"
  | "device_not_owned"
  | "estate_unreachable"
  | "expired_credential"
  | "expired_token"
  | "forbidden"
  | "host_not_allowed"
  | "https_required"
  | "idempotency_in_progress"
  | "idempotency_key_reused"
  | "image_not_found"
  | "insufficient_scope"
  | "internal"
  | "invalid_body"
  | "invalid_credential"
  | "invalid_json"
  | "invalid_path"
  | "invalid_plate"
  | "invalid_query"
  | "invalid_request"
  | "limit_reached"
  | "missing_credential"
  | "not_acceptable"
  | "not_found"
  | "origin_not_allowed"
  | "plate_already_listed"
  | "plate_read_not_found"
  | "plate_rule_not_found"
  | "precondition_failed"
  | "rate_limited"
  | "request_timeout"
  | "revoked_credential"
  | "scene_not_found"
  | "slow_down"
  | "storage_full"
  | "unavailable"
  | "unknown_device"
  | "unknown_scene"
  | "unsupported_command"
  | "unsupported_media_type"
  | "vehicle_not_found";
