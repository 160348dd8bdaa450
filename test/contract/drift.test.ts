import t from "tap";
import type { ApiDocument } from "../support/api-client.ts";
import { ApiHub } from "../support/api-hub.ts";
import { testFolder } from "../support/test-folder.ts";

/** The contract in the test's own words, written from its text: what the description must keep. */
const OPERATIONS: Record<
  string,
  {
    scope: string | null;
    statuses: number[];
    query?: Record<string, [string, unknown?, number?, number?]>;
    answer?: string[];
  }
> = {
  "GET /v1": {
    scope: null,
    statuses: [200],
    answer: ["version", "documentation", "openapi", "scopes", "webhookEvents"],
  },
  "GET /v1/me": { scope: "devices:read", statuses: [200, 401], answer: ["account", "deviceCount", "auth"] },
  "GET /v1/devices": {
    scope: "devices:read",
    statuses: [200, 401, 403],
    query: { room: ["string"], type: ["string"], online: ["boolean"] },
    answer: ["devices"],
  },
  "GET /v1/devices/{id}": { scope: "devices:read", statuses: [200, 404], answer: ["device"] },
  "PATCH /v1/devices/{id}": { scope: "devices:write", statuses: [200, 400, 404], answer: ["device"] },
  "POST /v1/devices/{id}/commands": {
    scope: "devices:control",
    statuses: [202, 400, 403, 404, 429],
    answer: ["accepted", "deviceId", "command"],
  },
  "GET /v1/devices/{id}/telemetry": {
    scope: "telemetry:read",
    statuses: [200, 400, 404],
    query: { limit: ["integer", 100, 1, 1000], since: ["string"] },
    answer: ["deviceId", "telemetry"],
  },
  "GET /v1/devices/{id}/energy": {
    scope: "telemetry:read",
    statuses: [200, 404],
    query: { hours: ["integer", 24, 1, 2160], metric: ["string", "watts"] },
    answer: ["deviceId", "metric", "granularity", "kwh", "series"],
  },
  "GET /v1/rooms": { scope: "rooms:read", statuses: [200], answer: ["rooms"] },
  "GET /v1/scenes": { scope: "scenes:read", statuses: [200], answer: ["scenes"] },
  "POST /v1/scenes/{id}/activate": {
    scope: "scenes:run",
    statuses: [202, 404],
    answer: ["accepted", "scene", "sent", "skipped"],
  },
  "GET /v1/automations": { scope: "automations:read", statuses: [200], answer: ["automations"] },
  "POST /v1/automations": { scope: "automations:write", statuses: [201, 400, 403], answer: ["automation"] },
  "PATCH /v1/automations/{id}": { scope: "automations:write", statuses: [200, 400, 403, 404], answer: ["automation"] },
  "DELETE /v1/automations/{id}": { scope: "automations:write", statuses: [200, 404], answer: ["deleted"] },
  "GET /v1/events": {
    scope: "events:read",
    statuses: [200, 400],
    query: { limit: ["integer", 50, 1, 500], since: ["string"] },
    answer: ["events"],
  },
  "GET /v1/plates": {
    scope: "plates:read",
    statuses: [200, 400],
    query: {
      deviceId: ["string"],
      plate: ["string"],
      decision: ["string"],
      status: ["string"],
      since: ["string"],
      limit: ["integer", 50, 1, 500],
    },
    answer: ["plates"],
  },
  "GET /v1/plates/{id}/image": { scope: "plates:read", statuses: [200, 404] },
  "GET /v1/vehicles": {
    scope: "plates:read",
    statuses: [200],
    query: { days: ["integer", 30, 1, 365], limit: ["integer", 200, 1, 1000] },
    answer: ["days", "insideNow", "vehicles"],
  },
  "GET /v1/vehicles/{plate}": {
    scope: "plates:read",
    statuses: [200, 404],
    answer: ["plate", "formatted", "passes", "inside", "totalStaySeconds", "visits"],
  },
  "GET /v1/occupancy": {
    scope: "plates:read",
    statuses: [200],
    answer: ["inside", "capacity", "free", "full", "percent"],
  },
  "GET /v1/plate-rules": { scope: "plates:read", statuses: [200], answer: ["rules"] },
  "POST /v1/plate-rules": { scope: "plates:write", statuses: [201, 400, 409], answer: ["rule"] },
  "DELETE /v1/plate-rules/{id}": { scope: "plates:write", statuses: [200, 404], answer: ["deleted"] },
};

/** Additions of our own API, marked `x-addition`. */
const ADDITIONS = [
  "GET /v1/devices/{id}/history",
  "GET /v1/devices/{id}/telemetry.csv",
  "GET /v1/telemetry/metrics",
  "GET /v1/stream",
  "GET /v1/commands/{id}",
  "POST /v1/pairing",
  "POST /v1/pairing/token",
  "GET /v1/gate-questions",
  "GET /v1/gate-questions/{id}/image",
  "POST /v1/gate-questions/{id}/answer",
  "GET /v1/estate/plates",
  "GET /v1/estate/occupancy",
  "GET /v1/estate/vehicles/{plate}",
];
/** Members of responses beyond the contract's. */
const ADDED_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  "GET /v1": ["additionalScopes", "additionalWebhookEvents"],
  "POST /v1/devices/{id}/commands": ["commandId"],
};

/** docs/spec/device-control-api.md §2: field → type, `?` for nullable. */
const RESOURCES: Record<string, Record<string, string>> = {
  Device: {
    id: "string",
    name: "string",
    type: "string",
    room: "string?",
    favorite: "boolean",
    online: "boolean",
    lastSeen: "string?",
    firmware: "string?",
    state: "object",
  },
  Room: { id: "integer", name: "string", icon: "string", sort: "integer", deviceCount: "integer" },
  FeedItem: {
    id: "integer",
    deviceId: "string?",
    kind: "string",
    title: "string",
    body: "string",
    read: "boolean",
    at: "string",
  },
  TelemetrySample: { at: "string", data: "object" },
  EnergyBucket: { at: "string", avg: "number", max: "number" },
  PlateRead: {
    id: "integer",
    deviceId: "string",
    captureId: "integer",
    plate: "string?",
    formatted: "string?",
    confidence: "integer",
    votes: "integer",
    samples: "integer",
    plateKind: "string",
    status: "string",
    reason: "string?",
    decision: "string",
    direction: "string?",
    trigger: "string",
    hasImage: "boolean",
    imageUrl: "string?",
    at: "string",
  },
  Vehicle: {
    plate: "string",
    formatted: "string",
    passes: "integer",
    entries: "integer",
    exits: "integer",
    visits: "integer",
    inside: "boolean",
    firstSeen: "string",
    lastSeen: "string",
    averageStaySeconds: "integer?",
    totalStaySeconds: "integer",
    cameras: "array",
    list: "string?",
    label: "string?",
  },
  Visit: {
    id: "integer",
    entryAt: "string?",
    exitAt: "string?",
    entryCamera: "string?",
    exitCamera: "string?",
    status: "string",
    staySeconds: "integer?",
  },
  Occupancy: { inside: "integer", capacity: "integer?", free: "integer?", full: "boolean", percent: "integer?" },
  PlateRule: {
    id: "integer",
    plate: "string",
    formatted: "string",
    kind: "string",
    label: "string",
    deviceId: "string?",
    validFrom: "string?",
    validTo: "string?",
    enabled: "boolean",
    hits: "integer",
  },
};

/** docs/spec/device-control-api.md §2 and §3: closed lists of words. */
const WORDS: [string, string, string[]][] = [
  ["PlateRead", "plateKind", ["standard", "bharat", "legacy", "unknown"]],
  ["PlateRead", "status", ["recognised", "unrecognised"]],
  ["PlateRead", "reason", ["no_recogniser", "no_plate", "invalid_format", "timeout", "provider_error"]],
  ["PlateRead", "decision", ["allow", "deny", "watch", "unknown"]],
  ["PlateRead", "direction", ["in", "out"]],
  ["PlateRead", "trigger", ["motion", "loop", "manual", "periodic"]],
  ["Vehicle", "list", ["allow", "deny", "watch"]],
  ["Visit", "status", ["open", "closed", "entry_missed", "exit_missed"]],
  ["PlateRule", "kind", ["allow", "deny", "watch"]],
  ["EnergySeries", "granularity", ["hour", "day"]],
];

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
}
interface Operation {
  readonly "x-required-scope"?: string;
  readonly "x-addition"?: boolean;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const document = (await hub.api.get("/v1/openapi.json")).body as ApiDocument;
const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
const operation = (name: string): Operation | undefined => {
  const [method = "", path = ""] = name.split(" ");
  // the document has just been validated by others
  return document.paths[path]?.[method.toLowerCase()] as Operation | undefined;
};
const follow = (schema: Schema | undefined): Schema =>
  schema?.$ref ? (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : (schema ?? {});

t.test(
  "the description has exactly the contract's operations, its own file and its page, and the marked additions",
  async (t) => {
    const described = Object.entries(document.paths).flatMap(([path, place]) =>
      Object.keys(place).map((method) => `${method.toUpperCase()} ${path}`),
    );
    t.same(described.sort(), [...Object.keys(OPERATIONS), ...ADDITIONS, "GET /v1/openapi.json", "GET /v1/docs"].sort());
    t.same(described.filter((name) => operation(name)?.["x-addition"] === true).sort(), [...ADDITIONS].sort());
  },
);

t.test("scopes, statuses, query parameters and responses are the contract's", async (t) => {
  for (const [name, expected] of Object.entries(OPERATIONS)) {
    const found = operation(name);
    t.equal(found?.["x-required-scope"] ?? null, expected.scope, name);
    for (const status of expected.statuses) t.ok(found?.responses[String(status)], `${name} ${status}`);
    for (const [parameter, [type, byDefault, minimum, maximum]] of Object.entries(expected.query ?? {})) {
      const described = found?.parameters?.find((one) => one.name === parameter && one.in === "query");
      t.hasStrict(
        { required: described?.required, type: described?.schema.type },
        { required: false, type },
        `${name} ${parameter}`,
      );
      t.same(
        [described?.schema.default, described?.schema.minimum, described?.schema.maximum],
        [byDefault, minimum, maximum],
        `${name} ${parameter}`,
      );
    }
    if (expected.answer) {
      const success = follow(found?.responses[String(expected.statuses[0])]?.content?.["application/json"]?.schema);
      const members = [...expected.answer, ...(ADDED_MEMBERS[name] ?? [])].sort();
      t.same([...Object.keys(success.properties ?? {})].sort(), members, name);
      t.same([...(success.required ?? [])].sort(), members, `${name}: all of them always`);
    }
  }
});

t.test("resources carry the contract's fields, always, with their types", async (t) => {
  for (const [name, fields] of Object.entries(RESOURCES)) {
    const schema = schemas[name];
    for (const [field, type] of Object.entries(fields)) {
      const described = schema?.properties?.[field];
      const types = [described?.type].flat();
      t.same(types, type.endsWith("?") ? [type.slice(0, -1), "null"] : [type], `${name}.${field}`);
      t.ok(schema?.required?.includes(field), `${name}.${field} is always there`);
    }
  }
});

t.test("closed lists of words are the contract's", async (t) => {
  for (const [name, field, words] of WORDS) {
    t.same(
      schemas[name]?.properties?.[field]?.enum?.filter((word) => word !== null),
      words,
      `${name}.${field}`,
    );
  }
});

t.test("lengths on input are the contract's", async (t) => {
  t.equal(schemas.DevicePatch?.properties?.name?.maxLength, 120);
  t.equal(schemas.DevicePatch?.properties?.room?.maxLength, 80);
  t.equal(schemas.PlateRuleInput?.properties?.label?.maxLength, 80);
  t.same(schemas.PlateRuleInput?.required, ["plate"]);
});
