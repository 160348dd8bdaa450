import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { NativeTopics } from "../../src/core/mqtt/authorise.ts";
import { type BridgeAccessPolicy, bridgeClientId } from "../../src/core/mqtt/bridge-access-policy.ts";
import { BridgeAuthorizer } from "../../src/core/mqtt/bridge-authorizer.ts";
import { DEFAULT_LIMITS } from "../../src/core/mqtt/limits.ts";
import { startBroker } from "./harness.ts";

/** A bridge that allows everything except other clients' topics; pictures may be large. */
const SIDE: BridgeAccessPolicy = {
  admit: () => null,
  mayPublish: (_client, topic) => !topic.startsWith("strange/"),
  maySubscribe: (_client, filter) => !filter.startsWith("strange/"),
  mayReceive: () => true,
  isWaiting: () => false,
  keepEarly: () => false,
  isLarge: (topic) => topic.endsWith("/picture"),
  message: async () => undefined,
  connected: () => undefined,
  disconnected: () => undefined,
};
const CLIENT = bridgeClientId("boiler", "tasmota-1", () => "x");

function gate(side: BridgeAccessPolicy | null): BridgeAuthorizer {
  return new BridgeAuthorizer({
    policy: side,
    topics: new NativeTopics("gatehouse"),
    limits: DEFAULT_LIMITS,
    logger: silentLogger,
  });
}

t.test("each reason alone makes the bridge refuse a message", async (t) => {
  const { packetBytes, bridgePacketBytes, topicBytes } = DEFAULT_LIMITS;
  const refusal = (topic: string, bytes = 10) => gate(SIDE).refusal(CLIENT, topic, bytes);
  t.equal(refusal("tele/boiler/STATE"), null);
  t.equal(refusal("$SYS/broker"), "reserved_topic");
  t.equal(refusal("a".repeat(topicBytes)), null);
  t.equal(refusal("a".repeat(topicBytes + 1)), "topic_too_long");
  t.equal(refusal("gatehouse/plug/state"), "foreign_topic", "a native device's");
  t.equal(refusal("gatehouse"), "foreign_topic");
  t.equal(refusal("strange/boiler"), "foreign_topic", "another client's");
  t.equal(gate(null).refusal(CLIENT, "tele/boiler/STATE", 10), "foreign_topic", "there is no bridge");
  t.equal(gate(SIDE).refusal("plug", "tele/boiler/STATE", 10), "foreign_topic", "not a client of the bridge");
  t.equal(refusal("tele/boiler/STATE", packetBytes), null);
  t.equal(refusal("tele/boiler/STATE", packetBytes + 1), "oversize");
  t.equal(refusal("eye/picture", bridgePacketBytes), null);
  t.equal(refusal("eye/picture", bridgePacketBytes + 1), "oversize");
});

t.test("each reason alone makes the bridge refuse a subscription", async (t) => {
  const may = (filter: string) => gate(SIDE).subscribable(CLIENT, filter);
  for (const filter of ["tele/boiler/STATE", "tele/#", "+/boiler/#", "boiler"]) t.ok(may(filter), filter);
  for (const filter of ["#", "+", "$SYS/#", "gatehouse", "gatehouse/#", "strange/#"]) t.notOk(may(filter), filter);
  t.notOk(gate(null).subscribable(CLIENT, "tele/#"), "there is no bridge");
  t.notOk(gate(SIDE).subscribable("plug", "tele/#"), "not a client of the bridge");
});

t.test("a camera's picture may have 1 MiB, everything else 64 KiB", async (t) => {
  t.match(DEFAULT_LIMITS, { cameraPacketBytes: 1024 * 1024, packetBytes: 64 * 1024 });
});

t.test("outgoing and retained messages, and where the hub may publish: each reason alone", async (t) => {
  const { packetBytes, topicBytes, bridgeTopicLevels } = DEFAULT_LIMITS;
  const keeper = { ...SIDE, keepEarly: () => true, isWaiting: () => true };
  const kept = (topic: string, bytes = 10, policy: BridgeAccessPolicy | null = keeper, client = CLIENT) =>
    gate(policy).keepEarly(client, topic, Buffer.alloc(bytes));
  t.ok(kept("tele/x"));
  t.ok(kept("tele/x", packetBytes));
  t.notOk(kept("tele/x", packetBytes + 1));
  for (const topic of ["", "tele/+", "tele/#", "a\0", "gatehouse", "gatehouse/plug/state"]) t.notOk(kept(topic), topic);
  t.notOk(kept("tele/x", 10, SIDE), "the bridge does not want it");
  t.notOk(kept("tele/x", 10, null));
  t.notOk(kept("tele/x", 10, keeper, "plug"));
  t.same(
    [gate(keeper), gate(SIDE), gate(null)].map((one) => one.isWaiting(CLIENT)),
    [true, false, true],
  );
  t.ok(gate(SIDE).isWaiting("plug"), "a client outside the bridge may not publish here");
  const receivable = (topic: string, policy: BridgeAccessPolicy | null = SIDE, client = CLIENT) =>
    gate(policy).receivable(client, topic);
  t.ok(receivable("cmnd/x"));
  for (const topic of ["$SYS/x", "gatehouse", "gatehouse/plug/state"]) t.notOk(receivable(topic), topic);
  t.notOk(receivable("cmnd/x", { ...SIDE, mayReceive: () => false }));
  t.notOk(receivable("cmnd/x", null));
  t.notOk(receivable("cmnd/x", SIDE, "plug"));
  const publishable = (topic: string) => gate(SIDE).publishable(topic);
  for (const topic of ["cmnd/x", "a/gatehouse", "gatehousex/y", "a".repeat(topicBytes)])
    t.ok(publishable(topic), topic);
  const levels = (count: number) => Array.from({ length: count }, () => "a").join("/");
  t.ok(publishable(levels(bridgeTopicLevels)));
  for (const topic of ["", "$SYS", "a/+", "a/#", "a\0", "gatehouse", "gatehouse/x", levels(bridgeTopicLevels + 1)])
    t.notOk(publishable(topic), topic);
});

t.test("the bridge is notified of a connection, and its exceptions are contained", async (t) => {
  const connections: string[] = [];
  const policy: BridgeAccessPolicy = {
    ...SIDE,
    connected: ({ username, mqttClientId }) => connections.push(`${username} ${mqttClientId}`),
    disconnected: () => {
      throw new Error("a family failed");
    },
  };
  gate(policy).connection(CLIENT, true);
  t.doesNotThrow(() => gate(policy).connection(CLIENT, false));
  gate(policy).connection("plug", true);
  gate(null).connection(CLIENT, true);
  t.same(connections, ["boiler tasmota-1"]);
});

t.test(
  "one client of the bridge fills at most half of the retained messages, and all of them at most the whole",
  async (t) => {
    const kept: string[] = [];
    const waiting = new Set(["new"]);
    const bridge: BridgeAccessPolicy = {
      ...SIDE,
      isWaiting: ({ username }) => waiting.has(username),
      keepEarly: (_client, topic) => topic.endsWith("/early") && kept.push(topic) > 0,
    };
    const hub = await startBroker(t, {
      limits: { bridgeRetainedTopics: 6, bridgeRetainedBytes: 1_000 },
      broker: { bridge, isDevice: (username) => username.startsWith("plug") },
    });
    const [one, two, three, newcomer] = await Promise.all(
      ["one", "two", "three", "new"].map((device) => hub.connect({ device })),
    );
    const retained = (): number => hub.broker.figures()?.stored.retained ?? -1;
    const refused = (username: string): string[] =>
      hub.broker.refusals(`bridge/${username}`).map(({ reason, count }) => `${reason} ${count}`);
    const keep = (client: typeof one, topic: string, bytes = 10) =>
      client?.publishAsync(topic, Buffer.alloc(bytes, "x"), { qos: 1, retain: true });
    for (let n = 0; n < 4; n++) await keep(one, `one/${n}`);
    t.equal(retained(), 3, "half of six");
    t.same(refused("one"), ["retained_quota 1"]);
    await keep(one, "one/0", 12);
    t.equal(retained(), 3, "a known topic can be changed");
    for (let n = 0; n < 3; n++) await keep(two, `two/${n}`);
    t.equal(retained(), 6);
    await keep(three, "three/0");
    t.equal(retained(), 6, "all places are taken");
    await one?.publishAsync("one/0", "", { qos: 1, retain: true });
    t.equal(retained(), 5);
    await keep(three, "three/0", 501);
    t.equal(retained(), 5, "more than half of the bytes");
    await keep(three, "three/0", 500);
    t.equal(retained(), 6);
    await keep(two, "two/0", 451);
    t.hasStrict(hub.broker.refusals("bridge/two"), [{ reason: "retained_quota" }], "more than all of the bytes");
    await keep(newcomer, "new/0");
    t.equal(retained(), 6, "a waiting client leaves nothing behind");
    await keep(one, "strange/early");
    await one?.publishAsync("strange/early", "x", { qos: 1 });
    await keep(one, "strange/x");
    t.same(kept, ["strange/early"], "kept for the announcement, if it is retained");
    t.same(refused("one"), ["foreign_topic 2", "retained_quota 1"]);
  },
);
