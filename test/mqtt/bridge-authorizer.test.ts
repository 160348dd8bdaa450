import t from "tap";
import { silentLogger } from "../../src/kernel/logger.js";
import { NativeTopics } from "../../src/mqtt/authorise.js";
import { type BridgeAccessPolicy, bridgeClientId } from "../../src/mqtt/bridge-access-policy.js";
import { BridgeAuthorizer } from "../../src/mqtt/bridge-authorizer.js";
import { DEFAULT_LIMITS } from "../../src/mqtt/limits.js";

/** A bridge that allows everything but topics of strangers; pictures may be large. */
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

t.test("each reason by itself refuses a message of the bridge", async (t) => {
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
  t.equal(gate(SIDE).refusal("plug", "tele/boiler/STATE", 10), "foreign_topic", "no client of the bridge");
  t.equal(refusal("tele/boiler/STATE", packetBytes), null);
  t.equal(refusal("tele/boiler/STATE", packetBytes + 1), "oversize");
  t.equal(refusal("eye/picture", bridgePacketBytes), null);
  t.equal(refusal("eye/picture", bridgePacketBytes + 1), "oversize");
});

t.test("each reason by itself refuses a subscription of the bridge", async (t) => {
  const may = (filter: string) => gate(SIDE).subscribable(CLIENT, filter);
  for (const filter of ["tele/boiler/STATE", "tele/#", "+/boiler/#", "boiler"]) t.ok(may(filter), filter);
  for (const filter of ["#", "+", "$SYS/#", "gatehouse", "gatehouse/#", "strange/#"]) t.notOk(may(filter), filter);
  t.notOk(gate(null).subscribable(CLIENT, "tele/#"), "there is no bridge");
  t.notOk(gate(SIDE).subscribable("plug", "tele/#"), "no client of the bridge");
});

t.test("a picture of a camera has a mebibyte, everything else 64 KiB", async (t) => {
  t.match(DEFAULT_LIMITS, { cameraPacketBytes: 1024 * 1024, packetBytes: 64 * 1024 });
});
