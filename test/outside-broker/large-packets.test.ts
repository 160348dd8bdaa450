/** Packets that are too large are cut out of a broker's stream, in whatever chunks it arrives. */
import { generate, type IPublishPacket, parser } from "mqtt-packet";
import t from "tap";
import { LargePackets, TOO_LARGE } from "../../src/features/outside-broker/large-packets.ts";

const LIMIT = 1_000;

function publish(topic: string, bytes: number, more: Partial<IPublishPacket> = {}): IPublishPacket {
  return {
    cmd: "publish",
    topic,
    payload: Buffer.alloc(bytes, "x"),
    qos: 1,
    dup: false,
    retain: false,
    messageId: 7,
    ...more,
  };
}

/** What a client reads of these bytes when they come in chunks of this size. */
async function read(bytes: Buffer, piece: number, protocolVersion: 4 | 5): Promise<IPublishPacket[]> {
  const packets: IPublishPacket[] = [];
  const client = parser({ protocolVersion });
  // checked by its cmd
  client.on("packet", (packet) => packet.cmd === "publish" && packets.push(packet as IPublishPacket));
  client.on("error", (error) => t.fail(String(error)));
  const filter = new LargePackets(LIMIT, protocolVersion === 5 ? "5" : "3.1.1");
  filter.on("data", (chunk: Buffer) => client.parse(chunk));
  for (let at = 0; at < bytes.length; at += piece) filter.write(bytes.subarray(at, at + piece));
  await new Promise<void>((resolve) => filter.end(resolve));
  return packets;
}

for (const protocolVersion of [4, 5] as const) {
  t.test(`with MQTT ${protocolVersion === 5 ? "5" : "3.1.1"}`, async (t) => {
    const sent = [
      publish("a", 10),
      publish("large/one", 50_000, { qos: 1, messageId: 300, retain: true }),
      publish("b", 0, { qos: 0 }),
      publish("large/two", LIMIT + 1, { qos: 0, dup: false }),
      publish("large/with-much-before", 900_000, {
        qos: 1,
        messageId: 5,
        dup: true,
        ...(protocolVersion === 5 ? { properties: { contentType: "x" } } : {}),
      }),
      publish("c", LIMIT - 10),
    ];
    const bytes = Buffer.concat(sent.map((packet) => generate(packet, { protocolVersion })));
    const whole = await read(bytes, bytes.length, protocolVersion);
    t.hasStrict(whole, [
      { topic: "a", messageId: 7 },
      { topic: `${TOO_LARGE}large/one`, messageId: 300, qos: 1, retain: true },
      { topic: "b", qos: 0 },
      { topic: `${TOO_LARGE}large/two`, qos: 0 },
      { topic: `${TOO_LARGE}large/with-much-before`, messageId: 5, qos: 1, dup: true },
      { topic: "c" },
    ]);
    t.same(
      whole.map(({ payload }) => payload.length),
      [10, 0, 0, 0, 0, LIMIT - 10],
    );
    const small = Buffer.concat(sent.slice(0, 4).map((packet) => generate(packet, { protocolVersion })));
    const expected = await read(small, small.length, protocolVersion);
    for (const piece of [1, 2, 3, 7, 64, 4_096])
      t.same(await read(small, piece, protocolVersion), expected, `in chunks of ${piece}`);
  });
}

t.test("anything but MQTT is left to the client library", async (t) => {
  const filter = new LargePackets(LIMIT, "5");
  const passed: Buffer[] = [];
  filter.on("data", (chunk: Buffer) => passed.push(chunk));
  const bytes = Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]);
  filter.write(bytes);
  await new Promise<void>((resolve) => filter.end(resolve));
  t.same(Buffer.concat(passed).subarray(0, 5), bytes.subarray(0, 5));
});
