import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { startConsoleHub } from "../../support/console-hub.ts";

async function receiver(t: Test): Promise<{ url: string; bodies: string[]; answer: { status: number } }> {
  const bodies: string[] = [];
  const answer = { status: 204 };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(answer.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies, answer }; // listening on TCP
}

t.test("a webhook is registered, changed, tested, rotated, switched off and on, and removed", async (t) => {
  const { call } = await startConsoleHub(t);
  const { url, bodies, answer } = await receiver(t);
  const made = await call("POST", "/api/webhooks", { url, events: ["device.state"], label: "App" });
  t.equal(made.status, 201);
  t.match(made.body, {
    webhook: { url, env: "live", active: true, failures: 0, events: ["device.state"] },
    secret: /^whsec_/,
  });
  const path = `/api/webhooks/${made.body.webhook.id}`;
  for (const wrong of [
    { url, events: [] },
    { url, events: ["plates"] },
    { url: "ftp://x", events: ["device.state"] },
    { events: ["device.state"] },
  ])
    t.equal((await call("POST", "/api/webhooks", wrong)).status, 400, JSON.stringify(wrong));
  t.match((await call("PATCH", path, { label: "App 2", probe: true })).body.webhook, {
    label: "App 2",
    probe: true,
    events: ["device.state"],
  });
  t.match((await call("POST", `${path}/test`)).body, { ok: true, status: 204, error: null });
  t.hasStrict(JSON.parse(bodies[0] ?? ""), { event: "device.state", data: { test: true } });
  const log = (await call("GET", `${path}/deliveries`)).body;
  t.match(log, {
    deliveries: [{ test: true, status: /^delivered$/, statusCode: 204, attempts: 1 }],
    next: null,
    owed: 0,
  });
  const one = (await call("GET", `${path}/deliveries/${log.deliveries[0].id}`)).body;
  t.equal(one.body, bodies[0]);
  t.match((await call("POST", `${path}/rotate`)).body, { secret: /^whsec_/, webhook: { rotatesUntil: /Z$/ } });
  t.match((await call("POST", `${path}/disable`)).body.webhook, { active: false, disabledReason: "owner" });
  answer.status = 500;
  t.equal((await call("POST", `${path}/enable`, {})).status, 409);
  t.match((await call("POST", `${path}/enable`, { force: true, kept: "drop" })).body.webhook, { active: true });
  t.equal((await call("DELETE", path)).status, 200);
  for (const [method, rest, body] of [
    ["PATCH", "", { label: "x" }],
    ["DELETE", "", undefined],
    ["POST", "/rotate", undefined],
    ["POST", "/test", undefined],
    ["POST", "/disable", undefined],
    ["POST", "/enable", {}],
    ["GET", "/deliveries", undefined],
    ["GET", "/deliveries/dlv_x", undefined],
    ["POST", "/deliveries/dlv_x/redeliver", undefined],
    ["POST", "/redeliver", { since: "2026-01-01T00:00:00Z" }],
  ] as const)
    t.equal((await call(method, path + rest, body)).status, 404, `${method} ${rest}`);
});

t.test("deliveries are resent on demand", async (t) => {
  const { call } = await startConsoleHub(t);
  const { url, bodies } = await receiver(t);
  const { webhook } = (await call("POST", "/api/webhooks", { url, events: ["device.state"] })).body;
  const path = `/api/webhooks/${webhook.id}`;
  await call("POST", `${path}/test`);
  const [{ id }] = (await call("GET", `${path}/deliveries`)).body.deliveries;
  t.equal((await call("POST", `${path}/deliveries/${id}/redeliver`)).status, 202);
  while (bodies.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  t.equal(bodies[1], bodies[0], "the same bytes");
  t.same((await call("POST", `${path}/redeliver`, { since: "2026-01-01T00:00:00Z" })).body, { count: 0 });
});

t.test("webhooks of the test household are listed beside the live ones", async (t) => {
  const { call } = await startConsoleHub(t);
  const { url } = await receiver(t);
  await call("POST", "/api/webhooks", { url, events: ["device.state"] });
  const test = (await call("POST", "/api/webhooks", { url, events: ["device.online"], env: "test" })).body.webhook;
  t.same(
    (await call("GET", "/api/webhooks")).body.webhooks.map((webhook: { env: string }) => webhook.env),
    ["live", "test"],
  );
  t.match((await call("PATCH", `/api/webhooks/${test.id}`, { label: "T" })).body.webhook, { env: "test", label: "T" });
});
