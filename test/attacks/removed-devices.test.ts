/**
 * A device is removed, and something in the same commit refers to it. Every write that refers to a device is refused in
 * words, and nothing stored refers to a removed device.
 */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

/** Long enough for all requests of a case to wait for the same commit. */
const COMMIT_MS = 1_000;
/** Between the removals and the references to the removed devices: their jobs are queued by then. */
const QUEUED_MS = 300;

t.setTimeout(120_000);
const folder = testFolder(t);
const { hub, owner } = await startOwnedHub(folder, {
  GATEHOUSE_RECOGNITION: "false",
  GATEHOUSE_STORAGE_COMMIT_INTERVAL_MS: String(COMMIT_MS),
});
t.teardown(() => hub.kill());
const device = async (id: string, type: string): Promise<void> => {
  const { status, body } = await owner.call("POST", "/api/devices", { id, name: id, type });
  if (status !== 201) throw new Error(`device: ${status} ${JSON.stringify(body)}`);
};

interface Write {
  /** `METHOD /path` as in the description of the API. */
  readonly operation: string;
  /** What to send for the removed device `id`; `path` if it has other parameters. */
  readonly send: (id: string) => { readonly path?: string; readonly body?: unknown };
  /** `STATUS code`. */
  readonly refusal: string;
  readonly type?: string;
}

const time = { type: "time", at: "07:00" };
const command = (deviceId: string) => ({ type: "command", deviceId, command: { power: true } });
const action = (deviceId: string) => ({ deviceId, command: { power: true } });
const rule = (deviceId: string) => ({ name: deviceId, trigger: time, action: command(deviceId) });
const plate = (n: number) => `KA01AB12${n}`;
const role = (deviceId: string, behind: string | null) => ({ deviceId, role: "load", behind, reversed: false });

const camera = "camera-stays";
await Promise.all([device("stays", "smart-plug"), device("gate-stays", "gate"), device(camera, "camera")]);
const made = async (path: string, body: unknown): Promise<number> => {
  const answer = await owner.call<Record<string, { id: number }>>("POST", path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Object.values(answer.body)[0]?.id ?? 0;
};
const sceneId = await made("/api/scenes", { name: "s", actions: [action("stays")] });
const ruleId = await made("/v1/automations", rule("stays"));
const { choices } = (await owner.call<{ choices: object }>("GET", "/api/gate-choices")).body;

/** Every operation of the hub that refers to a device and writes. */
const WRITES: readonly Write[] = [
  {
    operation: "PUT /api/house/persons/{id}",
    send: (id) => ({ path: "/api/house/persons/1", body: { plate: null, deviceId: id } }),
    refusal: "400 unknown_device",
  },
  { operation: "PATCH /v1/devices/{id}", send: () => ({ body: { favorite: true } }), refusal: "404 device_not_found" },
  {
    operation: "POST /v1/automations",
    send: (id) => ({ body: rule(id) }),
    refusal: "403 device_not_owned",
  },
  {
    operation: "POST /v1/automations",
    send: (id) => ({
      body: { ...rule("stays"), trigger: { type: "state", deviceId: id, field: "on", op: "changed" } },
    }),
    refusal: "403 device_not_owned",
  },
  {
    operation: "PATCH /v1/automations/{id}",
    send: (id) => ({ path: `/v1/automations/${ruleId}`, body: { action: command(id) } }),
    refusal: "403 device_not_owned",
  },
  {
    operation: "POST /api/automations/import",
    send: (id) => ({ body: { format: "gatehouse-automations", version: 1, automations: [rule(id)] } }),
    refusal: "403 device_not_owned",
  },
  {
    operation: "POST /v1/plate-rules",
    type: "camera",
    send: (deviceId) => ({ body: { plate: plate(31), deviceId } }),
    refusal: "400 unknown_device",
  },
  {
    operation: "POST /api/plate-rules/import",
    type: "camera",
    send: (deviceId) => ({ body: { rules: [{ plate: plate(32), deviceId }] } }),
    refusal: "200 unknown_device", // the answer names each refused rule
  },
  {
    operation: "POST /api/passes",
    type: "camera",
    send: (deviceId) => ({
      body: { label: "g", plate: plate(33), deviceId, validTo: new Date(Date.now() + 3_600_000).toISOString() },
    }),
    refusal: "400 unknown_device",
  },
  { operation: "PATCH /api/devices/{id}", send: () => ({ body: { name: "n" } }), refusal: "404 device_not_found" },
  { operation: "DELETE /api/devices/{id}", send: () => ({}), refusal: "404 device_not_found" },
  { operation: "POST /api/devices/{id}/password", send: () => ({ body: {} }), refusal: "404 device_not_found" },
  {
    operation: "PUT /api/device-order",
    send: (id) => ({ body: { ids: ["stays", id] } }),
    refusal: "404 device_not_found",
  },
  {
    operation: "POST /api/scenes",
    send: (id) => ({ body: { name: id, actions: [action(id)] } }),
    refusal: "400 unknown_device",
  },
  {
    operation: "PATCH /api/scenes/{id}",
    send: (id) => ({ path: `/api/scenes/${sceneId}`, body: { actions: [action("stays"), action(id)] } }),
    refusal: "400 unknown_device",
  },
  {
    operation: "PATCH /api/cameras/{id}",
    type: "camera",
    send: () => ({ body: { insideGate: true } }),
    refusal: "404 device_not_found",
  },
  {
    operation: "PATCH /api/cameras/{id}",
    type: "gate",
    send: (deviceId) => ({ path: `/api/cameras/${camera}`, body: { gate: { deviceId, command: { open: true } } } }),
    refusal: "400 unknown_device",
  },
  {
    operation: "PUT /api/gate-choices",
    type: "gate",
    send: (gateId) => ({ body: { ...choices, followed: [{ gateId, loop: null }] } }),
    refusal: "400 unknown_device",
  },
  {
    operation: "PUT /api/gates/{id}/contact",
    type: "gate",
    send: () => ({ body: { deviceId: "stays" } }),
    refusal: "404 device_not_found",
  },
  {
    operation: "PUT /api/gates/{id}/contact",
    type: "contact",
    send: (deviceId) => ({ path: "/api/gates/gate-stays/contact", body: { deviceId } }),
    refusal: "400 unknown_device",
  },
  {
    operation: "PUT /api/energy/settings",
    send: (id) => ({ body: { tariff: null, roles: [role(id, null)] } }),
    refusal: "400 unknown_device",
  },
  {
    operation: "PUT /api/energy/settings",
    send: (id) => ({ body: { tariff: null, roles: [role("stays", id)] } }),
    refusal: "400 unknown_device",
  },
];

/** Refers to a device and stores nothing that needs it. */
const HARMLESS: Readonly<Record<string, string>> = {
  "POST /v1/devices/{id}/commands": "leaves before the disk; its row is left out if the device is gone",
  "POST /api/automations/{id}/dry-run": "writes nothing",
  "POST /api/cameras/{id}/capture": "writes nothing; the read of a picture is history and outlives its camera",
  "POST /api/cameras/{id}/burst": "as the above",
  "POST /api/cameras/{id}/preview": "writes nothing",
  "POST /api/estate/open": "a command of another hub",
  "POST /api/webhooks/trigger": "a sample for receivers",
};

/** History, which outlives its devices. */
// `issued` is removed by the hourly sweep, and a new device with that id gets a row of its own
// (src/features/access/grants.ts).
const OUTLIVES = new Set(["audit", "feed_item", "feed_subject", "idempotency", "issued"]);

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: unknown }>> };
}

/** Names of the members of a body, at any depth. */
function membersOf(
  schema: unknown,
  schemas: Readonly<Record<string, unknown>>,
  seen: readonly string[] = [],
): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const reference: unknown = Reflect.get(schema, "$ref");
  if (typeof reference === "string") {
    const name = reference.split("/").at(-1) ?? "";
    return seen.includes(name) ? [] : membersOf(schemas[name], schemas, [...seen, name]);
  }
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === "properties" ? Object.keys(Object(value)) : []),
    ...membersOf(value, schemas, seen),
  ]);
}

t.test("every operation that refers to a device is tried below", async (t) => {
  const found: string[] = [];
  for (const file of ["/v1/openapi.json", "/api/openapi.json"]) {
    const { paths, components } = (await (await fetch(`${hub.url}${file}`)).json()) as {
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, unknown> };
    }; // OpenAPI
    for (const [path, byMethod] of Object.entries(paths))
      for (const [method, { requestBody }] of Object.entries(byMethod)) {
        const members = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
          membersOf(schema, components.schemas),
        );
        const names = members.includes("deviceId") || /\/(devices|cameras|gates)\/\{/.test(path);
        if (method !== "get" && names) found.push(`${method.toUpperCase()} ${path}`);
      }
  }
  t.ok(found.length > 20, `${found.length} operations`);
  const tried = new Set([...WRITES.map(({ operation }) => operation), ...Object.keys(HARMLESS)]);
  t.strictSame(
    found.filter((name) => !tried.has(name)),
    [],
  );
});

t.test("a reference to a device that an earlier job of the same commit removed is refused", async (t) => {
  const gone = WRITES.map((_, n) => `gone-${n}`);
  await Promise.all(gone.map((id, n) => device(id, WRITES[n]?.type ?? "smart-plug")));
  t.equal((await owner.call("PATCH", "/api/site", { name: "Home" })).status, 200);
  const removals = gone.map((id) => owner.call("DELETE", `/api/devices/${id}`));
  await new Promise((resolve) => setTimeout(resolve, QUEUED_MS));
  const answers = WRITES.map(({ operation, send }, n) => {
    const [method = "", path = ""] = operation.split(" ");
    const id = gone[n] ?? "";
    const { path: own = path.replace("{id}", id), body } = send(id);
    return owner.call<{ error?: { code: string }; refused?: { problem: { code: string } }[] }>(method, own, body);
  });
  for (const removal of removals) t.match((await removal).status, /^20[04]$/);
  for (const [n, answer] of answers.entries()) {
    const { status, body } = await answer;
    t.equal(
      `${status} ${body.error?.code ?? body.refused?.[0]?.problem.code}`,
      WRITES[n]?.refusal,
      `${WRITES[n]?.operation} ${JSON.stringify(WRITES[n]?.send("x"))}`,
    );
  }

  const raw = new SqliteDatabase(join(folder, "gatehouse.db"), { readonly: true });
  t.teardown(() => raw.close());
  const columns = raw
    .prepare<[], { table: string; column: string }>(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'`,
    )
    .all();
  const naming = columns.filter(({ table, column }) =>
    gone.some(
      (id) =>
        raw.prepare(`SELECT 1 FROM "${table}" WHERE "${column}" = ? OR "${column}" LIKE ?`).get(id, `%"${id}"%`) !==
        undefined,
    ),
  );
  t.strictSame(
    naming.filter(({ table }) => !OUTLIVES.has(table)),
    [],
    "nothing stored refers to a removed device",
  );
});
