/**
 * Watching the broker's messages and publishing by hand: without the right, with secrets in them, past every limit; and
 * password guesses in a device's name.
 */
import { type IncomingMessage, request } from "node:http";
import { connectAsync } from "mqtt";
import t, { type Test } from "tap";
import type { SeenMessage } from "../../src/features/mqtt/api/console-mqtt.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import type { Person } from "../support/hub-process.ts";

t.setTimeout(60_000);
const house = await HouseholdProcess.start(t);

/** A watch on the messages: what has arrived so far, and how it ended. */
interface Look {
  readonly status: number;
  readonly seen: Map<string, SeenMessage>;
  isOver: boolean;
  readonly close: () => void;
}

function look(t: Test, person: Person | null): Promise<Look> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${house.hub.url}/api/mqtt/stream`,
      { agent: false, headers: person === null ? {} : { cookie: person.cookie } },
      (answer: IncomingMessage) => {
        const state: Look = {
          status: answer.statusCode ?? 0,
          seen: new Map(),
          isOver: false,
          close: () => asked.destroy(),
        };
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          const events = text.split("\n\n");
          text = events.pop() ?? "";
          for (const event of events) {
            const [, data] = /^event: messages\ndata: (.*)$/m.exec(event) ?? [];
            for (const message of data === undefined ? [] : (JSON.parse(data) as SeenMessage[]))
              state.seen.set(message.topic, message);
          }
        });
        for (const end of ["close", "error"] as const) answer.on(end, () => (state.isOver = true));
        resolve(state);
      },
    );
    asked.on("error", (error) => (asked.destroyed ? undefined : reject(error)));
    t.teardown(() => asked.destroy());
    asked.end();
  });
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 400) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function native(t: Test, id: string): Promise<Awaited<ReturnType<typeof house.connect>>> {
  const password = await house.device(id, "light");
  return house.connect(t, id, password);
}

t.test("unauthenticated clients, members and programs can neither watch nor publish", async (t) => {
  const { person: member } = await house.join("member");
  t.equal((await look(t, null)).status, 401);
  t.equal((await look(t, member)).status, 403);
  const message = { topic: "zigbee2mqtt/lock/set", payload: '{"state":"UNLOCK"}' };
  t.equal((await member.call("POST", "/api/mqtt/publish", message)).status, 403);
  const key = await house.key(["devices:read", "devices:control", "events:read", "telemetry:read"]);
  t.ok([401, 403].includes((await house.ask(key, "GET", "/api/mqtt/stream")).status));
  t.ok([401, 403].includes((await house.ask(key, "POST", "/api/mqtt/publish", message)).status));
});

t.test("watched messages hide secrets and are truncated", async (t) => {
  const lamp = await native(t, "lamp");
  await lamp.publishAsync(
    "gatehouse/lamp/state",
    JSON.stringify({ power: true, wifi: { ssid: "Home", password: "hunter22", nested: { apiKey: "k-1" } }, pin: 4711 }),
    { qos: 1, retain: true },
  );
  const owner = await look(t, house.owner);
  t.teardown(owner.close);
  await until(() => owner.seen.has("gatehouse/lamp/state"), "the retained message");
  const state = owner.seen.get("gatehouse/lamp/state");
  t.match(state, { retained: true, at: null, from: "client" });
  t.match(state?.payload, /"ssid":"Home"/);
  t.notMatch(state?.payload, /hunter22|k-1|4711/);
  await lamp.publishAsync("gatehouse/lamp/telemetry", JSON.stringify({ note: "x".repeat(30_000), watts: 3 }), {
    qos: 1,
  });
  await until(() => owner.seen.has("gatehouse/lamp/telemetry"), "a live message");
  t.match(owner.seen.get("gatehouse/lamp/telemetry"), { count: 1 });
  t.equal(owner.seen.get("gatehouse/lamp/telemetry")?.payload?.length, 512);
  t.ok((owner.seen.get("gatehouse/lamp/telemetry")?.bytes ?? 0) > 30_000);
  await lamp.subscribeAsync("gatehouse/lamp/command", { qos: 1 });
  await house.owner.call("POST", "/v1/devices/lamp/commands", { power: false, token: "t-secret" });
  await until(() => owner.seen.has("gatehouse/lamp/command"), "the hub's command");
  t.match(owner.seen.get("gatehouse/lamp/command"), { from: "hub" });
  t.notMatch(owner.seen.get("gatehouse/lamp/command")?.payload, /t-secret/);
  t.notMatch(house.hub.output(), /hunter22|t-secret/);
});

t.test("publishing by hand reaches no native device, and is logged without its payload", async (t) => {
  for (const topic of ["gatehouse/lamp/command", "gatehouse", "$SYS/x", "a/#", "a/+/b", "", "x".repeat(600)]) {
    t.equal(
      (await house.owner.call("POST", "/api/mqtt/publish", { topic, payload: "{}" })).status,
      400,
      topic.slice(0, 30),
    );
  }
  t.equal(
    (await house.owner.call("POST", "/api/mqtt/publish", { topic: "shed/relay/set", payload: "x".repeat(20_000) }))
      .status,
    400,
  );
  t.equal(
    (await house.owner.call("POST", "/api/mqtt/publish", { topic: "shed/relay/set", payload: "open sesame", qos: 1 }))
      .status,
    202,
  );
  const { body } = await house.owner.call<{ audit: { action: string; target: string; detail: object }[] }>(
    "GET",
    "/api/audit",
  );
  t.hasStrict(body.audit[0], { action: "mqtt.published", target: "shed/relay/set", detail: { bytes: 11 } });
  t.notMatch(JSON.stringify(body.audit), /open sesame/);
});

t.test("the number of watches is limited, and they end with the right to watch", async (t) => {
  const { person: second, id } = await house.join("owner");
  const looks = [await look(t, house.owner), await look(t, house.owner), await look(t, second)];
  t.same(
    looks.map(({ status }) => status),
    [200, 200, 200],
  );
  t.equal((await look(t, house.owner)).status, 503, "a fourth has to wait");
  t.equal((await house.owner.call("DELETE", `/api/persons/${id}`)).status, 200);
  await until(() => looks[2]?.isOver === true, "the stream of a person who was removed");
  for (const one of looks) one.close();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const again = await look(t, house.owner);
  t.equal(again.status, 200, "closed watches free their places");
  again.close();
});

t.test("a device that names thousands of topics does not fill the memory, and the hub keeps serving", async (t) => {
  const camera = await native(t, "flood");
  const owner = await look(t, house.owner);
  t.teardown(owner.close);
  for (let i = 0; i < 600; i++) camera.publish("gatehouse/flood/telemetry", JSON.stringify({ watts: i }), { qos: 0 });
  await until(() => owner.seen.has("gatehouse/flood/telemetry"), "the flood");
  t.ok(owner.seen.size <= 2_000);
  const begun = performance.now();
  t.equal((await house.owner.call("GET", "/v1/devices")).status, 200);
  t.ok(performance.now() - begun < 2_000);
});

t.test("guesses at a device's password learn nothing, and its owner is notified, without the guess", async (t) => {
  await house.device("safe", "lock");
  const guess = (username: string): Promise<unknown> =>
    connectAsync(`mqtt://127.0.0.1:${house.hub.mqttPort}`, {
      username,
      clientId: username,
      password: "guess-me-not",
      reconnectPeriod: 0,
    }).then(
      () => "let in",
      (error: Error) => error.message,
    );
  const [known, unknown] = await Promise.all([guess("safe"), guess("nobody")]);
  t.equal(known, unknown, "an existing name is refused just as an unknown one");
  t.not(known, "let in");
  await Promise.all(Array.from({ length: 30 }, () => guess("safe")));
  const { body } = await house.owner.call<{ refusals: { reason: string; count: number; topic: string }[] }>(
    "GET",
    "/api/devices/safe/refusals",
  );
  t.hasStrict(body.refusals, [{ reason: "wrong_password", topic: "127.0.0.1" }]);
  t.ok((body.refusals[0]?.count ?? 0) >= 1);
  t.notMatch(JSON.stringify(body), /guess-me-not/);
  const lines = house.hub
    .output()
    .split("\n")
    .filter((line) => line.includes("in the name of a device was refused"));
  t.ok(lines.length >= 1 && lines.length <= 2, `${lines.length} lines in the log`);
  t.notMatch(house.hub.output(), /guess-me-not/);
});
