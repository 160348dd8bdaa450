/**
 * A stolen cookie against everything sensitive: a hub in its own process is restarted, so that the session continues
 * without its proof, and the thief tries every operation in the description.
 */
import t, { type Test } from "tap";
import { type HubProcess, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const PASSWORD = "correct horse battery staple";

/** Operations that always need a fresh proof. */
const FRESH = [
  "DELETE /api/backups/{id}",
  "DELETE /api/matter/fabrics/{id}",
  "DELETE /api/me/passkeys/{id}",
  "DELETE /api/persons/{id}",
  "GET /api/backups/{id}/file",
  "GET /api/session/proof",
  "PATCH /api/persons/{id}",
  "POST /api/backups/{id}/restore",
  "POST /api/bridge/clients/{id}/password",
  "POST /api/devices/{id}/password",
  "POST /api/history/allow",
  "POST /api/keys/{id}/rotate",
  "POST /api/matter/takeover",
  "POST /api/matter/window",
  "POST /api/me/grants/end",
  "POST /api/me/passkeys",
  "POST /api/me/passkeys/options",
  "POST /api/me/password",
  "POST /api/me/recovery-codes",
  "POST /api/me/totp",
  "POST /api/me/totp/confirm",
  "POST /api/me/totp/disable",
  "POST /api/mqtt/publish",
  "POST /api/network/authority",
  "POST /api/passes/{id}/link",
  "POST /api/persons/invitations",
  "POST /api/persons/{id}/grants",
  "POST /api/reset",
  "POST /api/restart",
  "POST /api/restore",
  "POST /api/updates",
  "POST /api/updates/rollback",
  "POST /api/webhooks",
  "POST /api/webhooks/{id}/rotate",
  "PUT /api/backups/passphrase",
  "PUT /api/matter",
  "PUT /api/matter/pin",
  "PUT /api/notifications/channels/email",
  "PUT /api/notifications/channels/ntfy",
  "PUT /api/notifications/channels/push",
  "PUT /api/notifications/ntfy-topic",
  "PUT /api/series/devices",
  "PUT /api/series/influx",
  "PUT /api/series/prometheus",
];

/** Operations that always need one too, but in the first hour of a new hub not of the session that claimed it. */
const SET_UP = [
  "POST /api/bridge/clients",
  "POST /api/bridge/clients/{id}/accept",
  "POST /api/devices",
  "POST /api/matter/joins",
];

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/** Operations that need one when the body asks for something sensitive, with such bodies and with harmless ones. */
const BY_BODY: Readonly<Record<string, { readonly matters: readonly object[]; readonly harmless: readonly object[] }>> =
  {
    "POST /api/keys": {
      matters: ["devices:control", "scenes:run", "automations:write", "plates:read", "plates:write"].map((scope) => ({
        name: "k",
        env: "live",
        scopes: ["devices:read", scope],
      })),
      harmless: [
        { name: "k", env: "live", scopes: ["devices:read"] },
        { name: "k", env: "test", scopes: ["devices:control"] },
      ],
    },
    "POST /api/pairing/approve": {
      matters: ["devices:control", "plates:read"].map((scope) => ({
        userCode: "BBBB-BBBB",
        name: "k",
        scopes: ["devices:read", scope],
      })),
      harmless: [{ userCode: "BBBB-BBBB", name: "k", scopes: ["devices:read"] }],
    },
    "PATCH /api/keys/{id}": {
      matters: [
        { scopes: ["plates:read"] },
        { name: "k", scopes: ["devices:control"] },
        { origins: ["https://evil.example"] },
      ],
      harmless: [{ name: "k" }, { origins: [] }],
    },
    "PATCH /api/me": {
      matters: [{ email: "thief@example.org" }, { name: "Asha", email: "thief@example.org" }],
      harmless: [{ name: "Asha" }],
    },
    "PATCH /api/notifications/preferences": {
      matters: [{ topics: { security: { channels: [], urgent: false } } }],
      harmless: [{ language: "en" }, { quiet: null, topics: { denied: { channels: [], urgent: false } } }],
    },
    "PATCH /api/cameras/{id}": {
      matters: [
        { source: { kind: "snapshot", url: "http://192.168.1.66/", watch: { kind: "periodic", everySeconds: 2 } } },
        { gate: { deviceId: "gate", command: { open: true } } },
        { direction: "in", gate: null },
      ],
      harmless: [{ direction: "in" }, { enabled: false }],
    },
    "PATCH /api/devices/{id}": {
      matters: [{ type: "lamp" }, { name: "x", type: "switch" }, { type: "camera" }],
      harmless: [{ name: "x" }, { type: "gate" }, { type: "lock" }, { type: "sentinel" }],
    },
    "POST /api/passes": {
      matters: [
        { label: "x", validTo: inDays(8) },
        { label: "x", plate: "MH12AB1234", guestMayTellPlate: true, validTo: inDays(30) },
      ],
      harmless: [
        { label: "x", validTo: inDays(6.9) },
        { label: "x", plate: "MH12AB1234", validTo: inDays(30) },
      ],
    },
    "PATCH /api/webhooks/{id}": {
      matters: [{ url: "http://192.168.1.66/" }, { events: ["device.state"] }],
      harmless: [{ label: "x" }],
    },
    "PUT /api/matter/shown": {
      matters: [{ subject: "device:gate", shown: true }],
      harmless: [{ subject: "device:gate", shown: false }],
    },
    "PATCH /api/settings": {
      matters: [
        { settings: { "tls.mode": "off" } },
        { settings: { "tls.mode": null } },
        { settings: { "log.level": "info", "http.trustProxy": true } },
        { settings: { "plates.readRetentionDays": 7 } },
        { settings: { "feed.days": 1 } },
        { settings: { "access.claimFromAnywhere": true } },
        { settings: { "outsideBroker.url": "mqtt://192.168.1.66" } },
        { settings: { "mqtt.webSocket": true } },
        { settings: { "a.setting.of.tomorrow": 1 } },
      ],
      harmless: [{ settings: { "log.level": "info" } }],
    },
  };

/**
 * Operations that change something and need none: everyday use of the house, what protects, and what undoes. A new
 * operation fails the test until somebody has decided that it belongs here; it does not if it outlives the session,
 * reveals a secret, or removes a protection.
 */
const EVERYDAY = [
  "DELETE /api/apps/{id}",
  "DELETE /api/bridge/clients/{id}",
  "DELETE /api/bridge/pairing",
  "DELETE /api/bridge/problems",
  "DELETE /api/devices/{id}",
  "DELETE /api/keys/{id}",
  "DELETE /api/matter/joins",
  "DELETE /api/matter/window",
  "DELETE /api/notifications/subscriptions/{id}",
  "DELETE /api/passes/{id}",
  "DELETE /api/persons/invitations/{id}",
  "DELETE /api/persons/{id}/sessions/{sessionId}",
  "DELETE /api/rooms/{id}",
  "DELETE /api/scenes/{id}",
  "DELETE /api/session",
  "DELETE /api/sessions/{id}",
  "DELETE /api/vehicles/{plate}",
  "DELETE /api/webhooks/{id}",
  "PATCH /api/me/passkeys/{id}",
  "PATCH /api/plate-rules/{id}",
  "PATCH /api/rooms/{id}",
  "PATCH /api/scenes/{id}",
  "PATCH /api/site",
  "POST /api/automations/import",
  "POST /api/automations/preview", // checks and stores nothing
  "POST /api/automations/{id}/dry-run",
  "POST /api/automations/{id}/duplicate",
  "POST /api/automations/{id}/pause",
  "POST /api/automations/{id}/run",
  "POST /api/backups",
  "POST /api/backups/rehearse",
  "POST /api/bridge/clients/{id}/refuse",
  "POST /api/bridge/ghosts/clear",
  "POST /api/bridge/pairing",
  "POST /api/cameras/inspect",
  "POST /api/cameras/look",
  "POST /api/cameras/{id}/burst",
  "POST /api/cameras/{id}/capture",
  "POST /api/cameras/{id}/preview",
  "POST /api/clock",
  "POST /api/estate/open", // like a command to a gate of this hub
  "POST /api/feed/read",
  "POST /api/hints/hide",
  "POST /api/notifications/read",
  "POST /api/notifications/subscriptions", // ends with the session
  "POST /api/notifications/test",
  "POST /api/pairing/deny",
  "POST /api/pairing/look",
  "POST /api/plate-rules/import",
  "POST /api/plates/try",
  "POST /api/plates/{id}/correct",
  "POST /api/rooms",
  "POST /api/scenes",
  "POST /api/seen-reads",
  "POST /api/session/proof",
  "POST /api/session/proof/passkey",
  "POST /api/session/proof/passkey/options",
  "POST /api/uploads",
  "POST /api/vehicles/{plate}/left",
  "POST /api/visits/{id}/close",
  "POST /api/webhooks/trigger",
  "POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver",
  "POST /api/webhooks/{id}/disable",
  "POST /api/webhooks/{id}/enable",
  "POST /api/webhooks/{id}/redeliver",
  "POST /api/webhooks/{id}/test",
  "PUT /api/device-order",
  "PUT /api/energy/settings",
  "PUT /api/estate/parts/{part}",
  "PUT /api/gate-choices",
  "PUT /api/gates/{id}/contact",
  "PUT /api/house/mode",
  "PUT /api/house/persons/{id}",
  "PUT /api/house/presence",
  "PUT /api/rooms/order",
];

/** What these tests read of a JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly minLength?: number;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly format?: string;
}

interface Operation {
  readonly security: readonly object[];
  readonly "x-fresh-proof"?: true | string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Described {
  readonly name: string;
  readonly operation: Operation;
  /** The least body that the description allows; null: it takes none. */
  readonly body: object | null;
}

const OF_FORMAT: Readonly<Record<string, string>> = {
  uri: "https://evil.example/",
  "date-time": "2030-01-01T00:00:00Z",
};

/** The least value that a schema allows. */
function leastOf(schema: Schema, named: Readonly<Record<string, Schema>>): unknown {
  const { $ref, type, properties = {}, required = [], minProperties = 0, minItems = 0, minLength = 1 } = schema;
  if ($ref !== undefined) return leastOf(named[$ref.split("/").at(-1) ?? ""] ?? {}, named);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice !== undefined) return leastOf(choice, named);
  if (type === "object") {
    const names = [...new Set([...required, ...Object.keys(properties).slice(0, minProperties)])];
    return Object.fromEntries(names.map((name) => [name, leastOf(properties[name] ?? {}, named)]));
  }
  if (type === "array") return Array.from({ length: minItems }, () => leastOf(schema.items ?? {}, named));
  if (type === "integer" || type === "number") return schema.minimum ?? 1;
  if (type === "boolean") return true;
  return OF_FORMAT[schema.format ?? ""] ?? schema.examples?.[0] ?? "a".repeat(Math.max(1, minLength));
}

/** Every operation that the hub describes to its console, by `METHOD /path`. */
async function operations(url: string): Promise<Described[]> {
  const document = (await (await fetch(`${url}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  }; // OpenAPI
  const named = document.components.schemas;
  return Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => {
      const schema = operation.requestBody?.content["application/json"]?.schema;
      const body = schema === undefined ? null : (leastOf(schema, named) as object); // every body is an object
      return { name: `${method.toUpperCase()} ${path}`, operation, body };
    }),
  );
}

interface Tried {
  readonly status: number;
  readonly code: string;
  readonly error: Record<string, unknown>;
}

async function tried(url: string, name: string, headers: Record<string, string>, body?: object): Promise<Tried> {
  const [method = "", path = ""] = name.split(" ");
  const sent = body ?? (method === "GET" || method === "DELETE" ? undefined : {});
  const response = await fetch(url + path.replace(/\{\w+\}/g, "999999"), {
    method,
    headers: { ...headers, ...(sent === undefined ? {} : { "content-type": "application/json" }) },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
  const text = await response.text();
  const error =
    (text.startsWith("{") ? (JSON.parse(text) as { error?: Record<string, unknown> }).error : undefined) ?? {};
  return { status: response.status, code: String(error.code ?? ""), error };
}

/** A hub whose owner signed in before its restart: the session continues, its proof does not. */
async function stolen(t: Test): Promise<{
  hub: HubProcess;
  owner: Person;
  cookie: string;
  otherCookie: string;
  key: string;
  keyId: number;
  backupId: number;
}> {
  const folder = testFolder(t);
  const { hub: first, owner: before } = await startOwnedHub(folder);
  const made = await before.call<{ secret: string; key: { id: number } }>("POST", "/api/keys", {
    name: "all",
    env: "live",
    scopes: ["devices:read", "devices:control", "plates:read"],
  });
  const other = new Person(first.url);
  await other.call("POST", "/api/session", { email: "asha@example.org", password: PASSWORD });
  const { body } = await before.call<{ backups: { id: number }[] }>("POST", "/api/backups", {});
  await first.stop();
  const hub = await startHubProcess(folder);
  t.teardown(() => hub.kill());
  const owner = new Person(hub.url, before.cookie);
  return {
    hub,
    owner,
    cookie: before.cookie,
    otherCookie: other.cookie,
    key: made.body.secret,
    keyId: made.body.key.id,
    backupId: body.backups[0]?.id ?? 0,
  };
}

t.setTimeout(180_000);
t.test("a stolen cookie", async (t) => {
  const { hub, owner, cookie, otherCookie, key, keyId, backupId } = await stolen(t);
  const all = await operations(hub.url);
  const sessions = all.filter(({ operation }) => operation.security.some((one) => "session" in one));
  const of = (proof: (value: true | string | undefined) => boolean): string[] =>
    sessions
      .filter(({ operation }) => proof(operation["x-fresh-proof"]))
      .map(({ name }) => name)
      .sort();

  const bodyOf = (name: string) => all.find((one) => one.name === name)?.body ?? null;

  await t.test("every operation is classified", async (t) => {
    t.ok(sessions.length > 100, `${sessions.length} operations`);
    t.strictSame(
      of((value) => value === true),
      FRESH,
    );
    t.strictSame(
      of((value) => typeof value === "string"),
      [...SET_UP, ...Object.keys(BY_BODY)].sort(),
    );
    t.strictSame(
      of((value) => value === undefined).filter((name) => !name.startsWith("GET ")),
      EVERYDAY,
    );
  });

  await t.test("the session still works", async (t) => {
    t.equal((await owner.call("GET", "/api/me")).status, 200);
  });

  await t.test("is refused everywhere, with the required proof named, and changes nothing", async (t) => {
    for (const name of [...FRESH, ...SET_UP]) {
      const { status, code, error } = await tried(hub.url, name, { cookie }, bodyOf(name) ?? undefined);
      t.hasStrict(
        { status, code, ...error },
        { status: 403, code: "fresh_proof_required", maxAgeSeconds: 300, secondFactor: false, passkey: false },
        name,
      );
    }
    for (const [name, { matters }] of Object.entries(BY_BODY))
      for (const body of matters)
        t.hasStrict(
          await tried(hub.url, name, { cookie }, body),
          { status: 403, code: "fresh_proof_required" },
          `${name} ${JSON.stringify(body)}`,
        );
    const file = await fetch(`${hub.url}/api/backups/${backupId}/file`, { headers: { cookie } });
    t.equal(file.status, 403);
    t.ok((await file.arrayBuffer()).byteLength < 1_000, "and not a byte of it");
    t.equal(
      (await fetch(`${hub.url}/api/backups/${backupId}/file`, { method: "HEAD", headers: { cookie } })).status,
      403,
    );
    t.same((await owner.call("GET", "/api/persons")).body.invitations, []);
    t.same(((await owner.call("GET", "/api/keys")).body.keys as object[]).length, 1);
    t.match((await owner.call("GET", "/api/me")).body, { account: { email: "asha@example.org", totp: false } });
    t.same((await owner.call("GET", "/api/webhooks")).body.webhooks, []);
  });

  await t.test("a form that is refused is refused before the person is asked who they are", async (t) => {
    const withForm = [...FRESH, ...SET_UP].filter((name) => Object.keys(bodyOf(name) ?? {}).length > 0);
    t.ok(withForm.length > 25, `${withForm.length} operations`);
    for (const name of withForm) {
      const body = Object.fromEntries(Object.keys(bodyOf(name) ?? {}).map((member) => [member, { not: "this" }]));
      t.hasStrict(await tried(hub.url, name, { cookie }, body), { status: 400, code: "invalid_body" }, name);
    }
  });

  await t.test("an API key never passes, with or without the cookie", async (t) => {
    for (const name of FRESH)
      for (const headers of [{ authorization: `Bearer ${key}` }, { "x-api-key": key, cookie }])
        t.hasStrict(await tried(hub.url, name, headers), { status: 403, code: "forbidden" }, name);
  });

  await t.test("everyday bodies pass without a proof", async (t) => {
    for (const [name, { harmless }] of Object.entries(BY_BODY))
      for (const body of harmless)
        t.not((await tried(hub.url, name, { cookie }, body)).status, 403, `${name} ${JSON.stringify(body)}`);
  });

  await t.test("with the proof the owner may, in this session only", async (t) => {
    t.equal((await owner.call("POST", "/api/session/proof", { password: "not this one" })).status, 401);
    t.equal((await owner.call("GET", "/api/session/proof")).status, 403, "a wrong password proves nothing");
    t.equal((await owner.call("POST", "/api/session/proof", { password: PASSWORD })).status, 200);
    t.equal((await fetch(`${hub.url}/api/backups/${backupId}/file`, { headers: { cookie } })).status, 200);
    t.equal((await owner.call("POST", `/api/keys/${keyId}/rotate`)).status, 201);
    t.equal((await owner.call("POST", "/api/persons/invitations", { name: "Ravi", role: "owner" })).status, 201);
    for (const name of FRESH.filter((one) => !/reset|rollback/.test(one)))
      t.not((await tried(hub.url, name, { cookie })).code, "fresh_proof_required", name);
    t.hasStrict(await tried(hub.url, "GET /api/session/proof", { cookie: otherCookie }), {
      status: 403,
      code: "fresh_proof_required",
    });
  });

  await t.test("guesses are slowed, together with those at sign-in", async (t) => {
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++)
      statuses.push((await owner.call("POST", "/api/session/proof", { password: `guess ${i}` })).status);
    t.equal(statuses[0], 401);
    t.equal(statuses.at(-1), 429);
    t.ok(statuses.filter((status) => status === 401).length <= 6, statuses.join());
    t.equal(
      (await new Person(hub.url).call("POST", "/api/session", { email: "asha@example.org", password: "wrong" })).status,
      429,
    );
  });
});
