import { connectAsync, type MqttClient } from "mqtt";
import t from "tap";
import { type ConsoleHub, startConsoleHub } from "../../support/console-hub.ts";

/** A device of the household, connected with its own credential. */
async function device(home: ConsoleHub, id: string, type = "light"): Promise<MqttClient> {
  const { body } = await home.call("POST", "/api/devices", { id, name: id, type });
  return connectAsync({
    host: "127.0.0.1",
    port: home.hub.mqtt.broker.port ?? 0,
    username: id,
    password: body.password,
    clientId: id,
    protocolVersion: 4,
  });
}

/** The owner's live household. */
function siteOf(home: ConsoleHub): number {
  return home.hub.access.accounts.sites().find((site) => site.env === "live")?.id ?? 0;
}

/** The next command that reaches a device. */
function nextCommand(client: MqttClient): Promise<unknown> {
  return new Promise((resolve) => client.once("message", (_topic, payload) => resolve(JSON.parse(payload.toString()))));
}

const rule = {
  name: "Lamp with plug",
  trigger: { type: "state", deviceId: "plug", field: "power", op: "truthy" },
  conditions: [{ type: "state", deviceId: "plug", field: "power", op: "eq", value: true }],
  action: { type: "command", deviceId: "lamp", command: { power: true } },
};

t.test("a rule acts on a device's message, and its traces show it", async (t) => {
  const home = await startConsoleHub(t);
  const plug = await device(home, "plug");
  const lamp = await device(home, "lamp");
  t.teardown(() => Promise.all([plug.endAsync(true), lamp.endAsync(true)]));
  await lamp.subscribeAsync("gatehouse/lamp/command", { qos: 1 });
  const { id } = await home.hub.automations.automations.create(siteOf(home), rule);
  const command = nextCommand(lamp);
  await plug.publishAsync("gatehouse/plug/state", '{"power":false}', { qos: 1 });
  await plug.publishAsync("gatehouse/plug/state", '{"power":true}', { qos: 1 });
  t.same(await command, { power: true });
  const { traces } = (await home.call("GET", `/api/automations/${id}/traces`)).body;
  t.hasStrict(traces[0], {
    outcome: "ran",
    result: "ok",
    trigger: { type: "state", deviceId: "plug", from: false, to: true },
    steps: [{ type: "command", what: "lamp", result: "sent" }],
  });
  t.match(home.hub.automations.automations.get(siteOf(home), id), { id, lastResult: "ok", lastTriggeredAt: String });
});

t.test("a rule is paused until a moment, which is told beside the next times", async (t) => {
  const home = await startConsoleHub(t);
  const { call, hub } = home;
  for (const id of ["plug", "lamp"]) await call("POST", "/api/devices", { id, name: id, type: "light" });
  const { id } = await hub.automations.automations.create(siteOf(home), rule);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  t.hasStrict(await call("POST", `/api/automations/${id}/pause`, { until }), {
    status: 200,
    body: { pausedUntil: until },
  });
  t.same((await call("GET", "/api/automations/next")).body, { next: [], paused: [{ id, until }] });
  const view = hub.automations.automations.get(siteOf(home), id);
  t.equal("pausedUntil" in view, false, "the contract's shape is as it was");
  t.equal((await call("POST", `/api/automations/${id}/pause`, { until: "tomorrow" })).status, 400);
  t.hasStrict(await call("POST", `/api/automations/${id}/pause`, { until: null }), { body: { pausedUntil: null } });
  t.same((await call("GET", "/api/automations/next")).body.paused, []);
});

t.test("run now, dry run, copy, export and import", async (t) => {
  const home = await startConsoleHub(t);
  const { call, hub } = home;
  for (const id of ["plug", "lamp"]) await call("POST", "/api/devices", { id, name: id, type: "light" });
  const action = { type: "sequence", actions: [rule.action, { type: "delay", seconds: 3600 }] };
  const { id } = await hub.automations.automations.create(siteOf(home), { ...rule, action });
  t.match(await call("POST", `/api/automations/${id}/run`), {
    status: 202,
    body: { started: true, queued: false, runId: /^run_/ },
  });
  t.hasStrict(await call("POST", `/api/automations/${id}/run`), { status: 409, body: { error: { code: "conflict" } } });
  const sample = { type: "state", deviceId: "plug", previous: { power: false }, state: { power: true } };
  const notes = [{ note: "The device is offline now." }, { note: null }];
  t.match((await call("POST", `/api/automations/${id}/dry-run`, { sample })).body.dryRun, {
    triggers: true,
    wouldRun: true,
    steps: notes,
  });
  const untold = (await call("POST", `/api/automations/${id}/dry-run`, {})).body.dryRun;
  t.match(untold, { triggers: true, conditionsHold: false, conditions: [{ saw: null }] });
  t.equal((await call("POST", `/api/automations/${id}/dry-run`, { at: "yesterday" })).status, 400);
  t.hasStrict((await call("POST", `/api/automations/${id}/duplicate`)).body.automation, {
    name: "Lamp with plug (copy)",
    enabled: false,
  });
  const document = (await call("GET", "/api/automations/export")).body;
  t.equal(document.automations.length, 2);
  const added = await call("POST", "/api/automations/import", document);
  t.hasStrict(added, {
    status: 201,
    body: { automations: [{ name: "Lamp with plug" }, { name: "Lamp with plug (copy)" }] },
  });
  const newer = await call("POST", "/api/automations/import", { ...document, version: 2 });
  t.hasStrict(newer, { status: 400, body: { error: { details: [{ field: "/version" }] } } });
  t.equal(hub.automations.automations.list(siteOf(home)).length, 4);
  const missing = [
    await call("GET", "/api/automations/99/traces"),
    await call("POST", "/api/automations/99/run"),
    await call("POST", "/api/automations/99/dry-run", {}),
    await call("POST", "/api/automations/99/duplicate"),
  ];
  for (const answer of missing) t.hasStrict(answer, { status: 404, body: { error: { code: "automation_not_found" } } });
});

t.test("a draft is evaluated like a rule, and incomplete parts are not evaluated", async (t) => {
  const home = await startConsoleHub(t);
  const { call } = home;
  const plug = await device(home, "plug", "sensor");
  t.teardown(() => plug.endAsync(true));
  await plug.publishAsync("gatehouse/plug/state", '{"temperature":19.2,"power":true}', { qos: 1 });
  await call("PATCH", "/api/site", { timeZone: "Asia/Kolkata", latitude: 25.6, longitude: 85.1 });
  const warm = { type: "state", deviceId: "plug", field: "temperature", op: "gt", value: 21 };
  const on = { type: "state", deviceId: "plug", field: "power", op: "truthy" };
  const look = async (draft: object) => (await call("POST", "/api/automations/preview", draft)).body.preview;

  const both = await look({
    trigger: { type: "sun", event: "sunset" },
    conditions: [on, { type: "any", conditions: [{ type: "not", condition: warm }, warm] }, warm],
  });
  t.match(both, {
    holds: false,
    decidedBy: warm,
    saw: 19.2,
    timeZone: "Asia/Kolkata",
    sunrise: String,
    sunset: String,
  });
  t.same(
    both.conditions.map(({ at, holds, saw }: { at: string; holds: boolean; saw: unknown }) => [at, holds, saw]),
    [
      ["/conditions/0", true, true],
      ["/conditions/1", true, 19.2],
      ["/conditions/1/conditions/0", true, 19.2],
      ["/conditions/1/conditions/0/condition", false, 19.2],
      ["/conditions/1/conditions/1", false, 19.2],
      ["/conditions/2", false, 19.2],
    ],
  );
  t.ok(Date.parse(both.trigger.next) > Date.now(), "when the trigger fires next");
  t.match(await look({ trigger: { ...warm, op: "lt", forSeconds: 60 }, conditions: [] }), {
    holds: true,
    trigger: { holds: true, saw: 19.2 },
  });
  t.match(await look({ trigger: { type: "device", deviceId: "plug", event: "offline" } }), {
    trigger: { holds: false, saw: "online" },
  });
  t.match(await look({ trigger: { ...on, op: "changed" } }), { trigger: { holds: null, saw: true, next: null } });

  const half = await look({
    trigger: { type: "state", deviceId: "", field: "power", op: "truthy" },
    conditions: [on, { type: "all", conditions: [{ type: "time", from: "" }] }],
  });
  t.match(half, { holds: null, decidedBy: null, trigger: { holds: null } });
  t.same(
    half.conditions.map(({ holds }: { holds: unknown }) => holds),
    [true, null, null],
  );
  t.match(await look({ conditions: [{ ...on, deviceId: "nobody-s" }] }), { holds: false, saw: "the device is gone" });

  const nest = (depth: number): object => (depth === 0 ? on : { type: "not", condition: nest(depth - 1) });
  t.match(await look({ conditions: [nest(9)] }), { holds: null, conditions: [] }, "deeper than a rule may be");
  t.match(
    await look({ conditions: Array.from({ length: 50 }, () => ({ type: "all", conditions: [on, on] })) }),
    { holds: null, conditions: [] },
    "more than a rule may have",
  );
  const refused = [
    await call("POST", "/api/automations/preview", { conditions: Array.from({ length: 51 }, () => on) }),
    await call("POST", "/api/automations/preview", { conditions: ["x"] }),
    await call("POST", "/api/automations/preview", { action: {} }),
  ];
  for (const { status } of refused) t.equal(status, 400);
});

t.test("a rule's message is in the feed", async (t) => {
  const home = await startConsoleHub(t);
  const body = {
    name: "Tell",
    trigger: { type: "interval", everySeconds: 86_400 },
    action: { type: "notify", title: "Hello", body: "World" },
  };
  const { id } = await home.hub.automations.automations.create(siteOf(home), body);
  await home.call("POST", `/api/automations/${id}/run`);
  await home.call("GET", `/api/automations/${id}/traces`);
  const items = home.hub.feed.feed.list(siteOf(home), { limit: 50 });
  t.ok(items.some((item) => item.kind === "automation.notify" && item.title === "Hello" && item.body === "World"));
});
