import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Hub, HubError, type HubEvent, HubUnreachable, verifyWebhook, WebhookRefused } from "../../src/client/index.ts";
import { deliveryHeaders, newSecret } from "../../src/features/webhooks/sign.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);
const script = async <Exports>(file: string): Promise<Exports> =>
  (await import(join(PROJECT_ROOT, "scripts/lib", file))) as Exports; // plain JavaScript
const house = await HouseholdProcess.start(t);
const key = await house.key([
  "devices:read",
  "devices:write",
  "devices:control",
  "telemetry:read",
  "rooms:read",
  "automations:read",
  "automations:write",
  "events:read",
]);
const hub = new Hub({ url: `${house.hub.url}/`, key: key.secret });
const plug = await house.connect(t, "plug", await house.device("plug", "smart-plug"));
const say = (topic: string, value: object): Promise<unknown> =>
  plug.publishAsync(`gatehouse/plug/${topic}`, JSON.stringify(value), { qos: 1 });

/** A server of a few lines, for behaviour that a hub never shows on purpose. */
async function serve(
  t: Test,
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => answer(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

t.test("the types match those of the current description", async (t) => {
  const { clientTypes } = await script<{ clientTypes: (document: object) => string }>("client-types.mjs");
  const document = (await (await fetch(`${house.hub.url}/v1/openapi.json`)).json()) as object;
  const plain = (text: string): string => text.replaceAll(/[\s|;(),]+/g, "");
  t.equal(
    plain(readFileSync(join(PROJECT_ROOT, "src/client/types.d.ts"), "utf8")),
    plain(clientTypes(document)),
    "else: node scripts/generate-docs.mjs",
  );
});

t.test("devices: all of them, one, its name, its samples over pages, a command with its outcome", async (t) => {
  await plug.subscribeAsync("gatehouse/plug/command", { qos: 1 });
  await say("state", { power: false });
  const names: string[] = [];
  for await (const device of hub.devices.list({ type: "smart-plug" })) names.push(device.id);
  t.same(names, ["plug"]);
  t.same(await hub.devices.list({ room: "Nowhere" }).all(), []);
  t.match(await hub.devices.update("plug", { name: "Kitchen", room: "Kitchen" }), {
    name: /^Kitchen$/,
    room: "Kitchen",
  });
  t.hasStrict(await hub.devices.get("plug"), { name: "Kitchen", state: { power: false } });
  t.hasStrict(await hub.rooms.list().all(), [{ name: "Kitchen" }]);
  const start = Date.now() - 60_000;
  await say(
    "telemetry",
    Array.from({ length: 7 }, (_, n) => ({
      at: new Date(start + n * 1_000).toISOString(),
      data: { watts: n },
    })) as object,
  );
  const watts = (await hub.devices.telemetry("plug", { limit: 3 }).all()).map(({ data }) => data.watts);
  t.same(watts, [6, 5, 4, 3, 2, 1, 0], "three pages");
  t.equal((await hub.devices.telemetry("plug", { limit: 3 }).all(4)).length, 4);
  const command = await hub.devices.command("plug", { power: true });
  t.hasStrict(await command.outcome(), { id: command.id, deviceId: "plug", status: "acknowledged", reason: null });
  t.hasStrict(await hub.me(), { auth: { method: "api_key" } });
});

t.test("refusals are typed: code, status, scope, fields", async (t) => {
  await t.rejects(hub.devices.get("nothing"), {
    name: /^HubError$/,
    status: 404,
    code: /^device_not_found$/,
    requestId: /\w+/,
  });
  await t.rejects(hub.occupancy(), { code: /^insufficient_scope$/, fields: { requiredScope: "plates:read" } });
  await t.rejects(hub.devices.update("plug", { name: "" }), {
    code: /^invalid_body$/,
    details: [{ field: /^\/name$/ }],
  });
  await t.rejects(new Hub({ url: house.hub.url, key: "gth_live_no" }).me(), { code: /^invalid_credential$/ });
  await t.rejects(new Hub({ url: "http://127.0.0.1:1", key: "x", retries: 0 }).me(), HubUnreachable);
  const silent = await serve(t, () => {});
  await t.rejects(new Hub({ url: silent, key: "x", retries: 0, timeoutMs: 50 }).me(), HubUnreachable);
  const page = await serve(t, (_, response) =>
    response.writeHead(500, { "content-type": "text/html" }).end("<h1>proxy</h1>"),
  );
  await t.rejects(new Hub({ url: page, key: "x" }).me(), { code: /^not_a_hub$/, status: 500 });
});

t.test("a rule that is read, changed and sent back must match its ETag", async (t) => {
  const rule = await hub.automations.create({
    name: "Night",
    trigger: { type: "time", at: "22:00" },
    action: { type: "notify", title: "Good night", body: "" },
  });
  const changed = await hub.automations.update(rule.id, { enabled: false }, rule.etag);
  t.equal(changed.enabled, false);
  await t.rejects(hub.automations.update(rule.id, { enabled: true }, rule.etag), { code: /^precondition_failed$/ });
  await hub.automations.delete(rule.id);
  await t.rejects(hub.automations.delete(rule.id), { code: /^automation_not_found$/ });
});

t.test(
  "failures are retried after the time that the hub names, under one Idempotency-Key; commands that would be late are not",
  async (t) => {
    const seen: { key: string; at: number }[] = [];
    const url = await serve(t, (request, response) => {
      seen.push({ key: String(request.headers["idempotency-key"]), at: Date.now() });
      if (seen.length === 1) response.destroy();
      else if (seen.length === 2)
        response
          .writeHead(429, { "retry-after": "1" })
          .end('{"error":{"code":"rate_limited","message":"","requestId":"r","details":[]}}');
      else
        response
          .writeHead(202, { "content-type": "application/json" })
          .end('{"accepted":true,"deviceId":"plug","command":{},"commandId":7}');
    });
    const flaky = new Hub({ url, key: "x" });
    t.equal((await flaky.devices.command("plug", {})).id, 7);
    t.equal(new Set(seen.map(({ key }) => key)).size, 1);
    t.match(seen[0]?.key, /^[!-~]{16,255}$/);
    t.ok((seen[2]?.at ?? 0) - (seen[1]?.at ?? 0) >= 990, "not before the time");
    let asked = 0;
    const full = await serve(t, (_, response) => {
      asked += 1;
      response
        .writeHead(429, { "retry-after": "30" })
        .end('{"error":{"code":"rate_limited","message":"","requestId":"r","details":[]}}');
    });
    await t.rejects(new Hub({ url: full, key: "x" }).devices.command("gate", { open: true }), {
      code: /^rate_limited$/,
      retryAfterSeconds: 30,
    });
    t.equal(asked, 1, "a gate does not open half a minute later");
  },
);

t.test("the key is sent to no other host: neither by a link nor by a redirect", async (t) => {
  const elsewhere: string[] = [];
  const thief = await serve(t, (request, response) => {
    elsewhere.push(String(request.url));
    response.end("{}");
  });
  const url = await serve(t, (request, response) => {
    if (request.url === "/v1/rooms") response.writeHead(302, { location: `${thief}/redirect` }).end();
    else if (request.url === "/v1/scenes")
      response.writeHead(200, { link: `<${thief}/v1/more>; rel="next"` }).end('{"scenes":[{"id":1}]}');
    else response.writeHead(200, { link: '<//evil.example/v1>; rel="other"' }).end('{"scenes":[{"id":2}]}');
  });
  const caught = new Hub({ url, key: "secret", retries: 0 });
  await t.rejects(caught.rooms.list().all(), HubUnreachable);
  t.same(await caught.scenes.list().all(), [{ id: 1 }, { id: 2 }]);
  t.same(elsewhere, []);
});

t.test("events: typed, complete over broken connections, ended with the key", async (t) => {
  const target = new URL(house.hub.url);
  const open = new Set<Socket>();
  const cable = createTcpServer((socket) => {
    const far = connect(Number(target.port), target.hostname);
    for (const one of [socket, far]) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => open.delete(one));
    }
    socket.pipe(far).pipe(socket);
  });
  await new Promise<void>((resolve) => cable.listen(0, "127.0.0.1", resolve));
  t.teardown(() => cable.close());
  const own = await house.key(["devices:read"]);
  // it listens on TCP
  const remote = new Hub({ url: `http://127.0.0.1:${(cable.address() as AddressInfo).port}`, key: own.secret });
  const heard: HubEvent[] = [];
  const listening = (async () => {
    for await (const event of remote.events({ types: ["device.state"] })) heard.push(event);
  })();
  const ended = listening.catch((error: unknown) => error);
  const ready = (count: number) =>
    eventually(() => heard.filter(({ event }) => event === "stream.ready").length >= count, 15_000);
  await ready(1);
  for (let n = 0; n < 30; n++) {
    await say("state", { n });
    if (n === 20) await ready(2);
    if (n === 10 || n === 20) for (const socket of open) socket.destroy();
  }
  await ready(3);
  const numbers = heard.flatMap((event) => (event.event === "device.state" ? [event.data.state.n] : []));
  t.same(numbers, [...Array(30).keys()], "each once, in order");
  await house.owner.call("DELETE", `/api/keys/${own.id}`);
  const error = await ended;
  t.ok(error instanceof HubError);
  t.hasStrict(error, { status: 401, code: "revoked_credential" });
  const controller = new AbortController();
  for await (const event of hub.events({ signal: controller.signal })) {
    t.equal(event.event, "stream.ready");
    controller.abort();
  }
  for await (const _ of hub.events()) break;
  await eventually(async () =>
    (await house.owner.call<{ status: string }>("GET", "/api/health")).status === 200 ? true : undefined,
  );
});

t.test("a delivery is accepted with the right secret, bytes and time, and refused otherwise", async (t) => {
  const [secret, old] = [newSecret(), newSecret()];
  const body =
    '{"id":"dlv_1","event":"device.online","deviceId":"plug","data":{"online":true},"at":"2026-03-01T12:00:00.000Z"}';
  const now = Date.now();
  const headers = deliveryHeaders({ id: "dlv_1", event: "device.online", body, attempts: 0 }, [secret, old], now);
  t.hasStrict(await verifyWebhook(secret, headers, body), { event: "device.online", deviceId: "plug" });
  t.hasStrict(
    await verifyWebhook(old, new Headers(headers), Buffer.from(body)),
    { id: "dlv_1" },
    "the old secret, during its rotation",
  );
  for (const [why, attempt] of Object.entries({
    "another secret": () => verifyWebhook(newSecret(), headers, body),
    "another byte": () => verifyWebhook(secret, headers, `${body} `),
    "too late": () => verifyWebhook(secret, headers, body, { now: now + 301_000 }),
    "too early": () => verifyWebhook(secret, headers, body, { now: now - 301_000 }),
    "no header": () => verifyWebhook(secret, {}, body),
    "an empty one": () => verifyWebhook(secret, { "X-Service-Signature": "t=,v1=" }, body),
    "a short one": () => verifyWebhook(secret, { "X-Service-Signature": `t=${Math.floor(now / 1_000)},v1=00` }, body),
  }))
    await t.rejects(attempt(), WebhookRefused, why);
});

t.test(
  "the package has everything that an app needs, and compiles in a strict one that knows browsers only",
  async (t) => {
    const { packClient } = await script<{ packClient: (out: string, version: string) => string }>("client-package.mjs");
    const folder = testFolder(t, {});
    const file = packClient(folder, "9.9.9");
    const home = join(folder, "node_modules/@gatehouse/client");
    mkdirSync(home, { recursive: true });
    execFileSync("tar", ["-xzf", file, "-C", home, "--strip-components=1"]);
    const about = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    t.match(about, { name: /^@gatehouse\/client$/, version: "9.9.9", type: /^module$/ });
    t.notOk("dependencies" in about);
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(
      join(folder, "app.ts"),
      `import { Hub, HubError } from "@gatehouse/client";
export async function main(url: string, key: string): Promise<string[]> {
  const hub = new Hub({ url, key });
  const names: string[] = [];
  for await (const device of hub.devices.list()) names.push(device.name);
  try { await hub.devices.get("nothing"); } catch (error) { if (error instanceof HubError && error.code === "device_not_found") names.push(error.code); }
  for await (const event of hub.events({ types: ["device.state"] })) {
    if (event.event === "device.state") names.push(String(event.data.state["power"]));
    else names.push(event.event);
    break;
  }
  return names;
}
`,
    );
    const compile = [
      "--strict",
      "--skipLibCheck",
      "false",
      "--noUncheckedIndexedAccess",
      "--exactOptionalPropertyTypes",
      "--target",
      "es2022",
      "--module",
      "esnext",
    ];
    const more = [
      "--moduleResolution",
      "bundler",
      "--lib",
      "es2022,dom",
      "--types",
      "",
      "--outDir",
      folder,
      join(folder, "app.ts"),
    ];
    execFileSync(
      process.execPath,
      [join(PROJECT_ROOT, "node_modules/typescript/bin/tsc"), "--ignoreConfig", ...compile, ...more],
      {
        cwd: folder,
        stdio: "pipe",
      },
    );
    const run = `import { main } from "./app.js"; console.log(JSON.stringify(await main(process.argv[1], process.argv[2])));`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", run, house.hub.url, key.secret], {
      cwd: folder,
      encoding: "utf8",
    });
    t.same(JSON.parse(printed), ["Kitchen", "device_not_found", "stream.ready"]);
  },
);
