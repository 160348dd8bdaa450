import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key();
await hub.device("plug");
const command = (name: string, json: object, with_ = key) =>
  api.post("/v1/devices/plug/commands", { key: with_, json, headers: { "Idempotency-Key": name } });

t.test("a repeated request is answered again but executed once", async (t) => {
  const first = await command("a-1", { power: true });
  const second = await command("a-1", { power: true });
  t.match(
    { status: second.status, body: second.body, replayed: second.headers["idempotency-replayed"] },
    { status: 202, body: first.body, replayed: "true" },
  );
  t.equal(first.headers["idempotency-replayed"], undefined);
  t.equal(hub.devices.published.length, 1);
});

t.test("the key belongs to its credential, path and body", async (t) => {
  t.hasStrict((await command("a-1", { power: false })).body.error, { code: "idempotency_key_reused" });
  t.equal((await command("a-1", { power: false }, await hub.key())).status, 202, "another credential");
  t.equal(
    (await api.post("/v1/plate-rules", { key, json: { plate: "MH12AB1234" }, headers: { "Idempotency-Key": "a-1" } }))
      .status,
    201,
    "another path",
  );
});

t.test("an object is created once, and a refusal is stored too", async (t) => {
  const make = (name: string) =>
    api.post("/v1/plate-rules", { key, json: { plate: "DL01AB1234" }, headers: { "Idempotency-Key": name } });
  const first = await make("rule-1");
  t.equal(first.status, 201);
  t.same((await make("rule-1")).body, first.body);
  const conflict = await make("rule-2");
  t.equal(conflict.status, 409);
  await api.delete(`/v1/plate-rules/${first.body.rule.id}`, { key });
  const replay = await make("rule-2");
  t.match(
    { status: replay.status, replayed: replay.headers["idempotency-replayed"] },
    { status: 409, replayed: "true" },
  );
});

t.test("a request refused before execution is not stored", async (t) => {
  const post = (json: object) => api.post("/v1/plate-rules", { key, json, headers: { "Idempotency-Key": "rule-3" } });
  t.equal((await post({ plate: 3 })).status, 400);
  t.equal((await post({ plate: "KA01AB1234" })).status, 201);
});

t.test("while the first is running a second one has to wait", async (t) => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  hub.devices.deliver = async () => {
    await held;
    return "sent";
  };
  const before = hub.devices.published.length;
  const first = command("slow", { n: 1 });
  while (hub.devices.published.length === before) await new Promise((resolve) => setTimeout(resolve, 2));
  const second = await command("slow", { n: 1 });
  t.match(
    { status: second.status, code: second.body.error.code, retry: second.headers["retry-after"] },
    { status: 409, code: /^idempotency_in_progress$/, retry: "1" },
  );
  release();
  t.equal((await first).status, 202);
  hub.devices.deliver = async () => "sent";
});

t.test("responses are stored for a day", async (t) => {
  await command("day", { d: 1 });
  hub.clock.advance(24 * 3_600_000 - 10_000);
  t.equal((await command("day", { d: 1 })).headers["idempotency-replayed"], "true");
  hub.clock.advance(20_000);
  const fresh = await hub.key();
  t.equal((await command("day", { d: 2 }, fresh)).status, 202);
  t.equal((await command("day", { d: 1 })).headers["idempotency-replayed"], undefined);
});

t.test("a failure of the hub is not stored, so a retry can succeed", async (t) => {
  hub.devices.deliver = async () => {
    throw new Error("closed");
  };
  t.equal((await command("retry", { n: 1 })).status, 503);
  hub.devices.deliver = async () => "sent";
  t.equal((await command("retry", { n: 1 })).status, 202);
});

t.test("keys are 1 to 255 visible ASCII characters", async (t) => {
  t.equal((await command("x".repeat(255), { n: 1 })).status, 202);
  for (const bad of ["x".repeat(256), "has space", "é"])
    t.hasStrict((await command(bad, { n: 1 })).body.error, { code: "invalid_request" }, bad.slice(0, 10));
});
