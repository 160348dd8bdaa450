import { type AddressInfo, connect, createServer } from "node:net";
import { connectAsync, type MqttClient } from "mqtt";
import t, { type Test } from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { type ArrivedMessage, OutsideBroker } from "../../src/features/outside-broker/outside-broker.ts";
import { eventually as within } from "../support/hub-process.ts";
import { Mosquitto, NO_MOSQUITTO } from "../support/mosquitto.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(240_000);

const skip = NO_MOSQUITTO;
/** A slow machine is not a failure. */
const eventually = <Found>(probe: () => Promise<Found | undefined> | Found | undefined): Promise<Found> =>
  within(probe, 40_000);

interface Place {
  readonly broker: OutsideBroker;
  readonly heard: ArrivedMessage[];
  /** The hub's handler for a message; until it is done the message is not on disk. */
  take: (message: ArrivedMessage) => Promise<void>;
}

function open(
  t: Test,
  port: number,
  settings: { clientId?: string; prefix?: string; protocol?: "5" | "3.1.1" } = {},
): Place {
  const place: Place = {
    heard: [],
    take: async () => {},
    broker: new OutsideBroker({
      address: {
        url: `mqtt://127.0.0.1:${port}`,
        clientId: settings.clientId ?? "hub",
        username: null,
        passwordFile: null,
        caFile: null,
        protocol: settings.protocol ?? "5",
      },
      prefix: settings.prefix ?? "",
      filters: () => ["devices/+/state"],
      message: (message) => {
        place.heard.push(message);
        return place.take(message);
      },
      connected: () => {},
      clock: systemClock,
      logger: silentLogger,
      random: () => 0,
    }),
  };
  t.teardown(() => place.broker.stop());
  return place;
}

async function join(place: Place): Promise<void> {
  await place.broker.start();
  await eventually(() => place.broker.isConnected || undefined);
}

async function device(t: Test, port: number, options: object = {}): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 100, ...options });
  t.teardown(() => client.end(true));
  return client;
}

for (const protocol of ["5", "3.1.1"] as const) {
  t.test(`messages below the prefix come in and go out, with MQTT ${protocol}`, { skip }, async (t) => {
    const mosquitto = await Mosquitto.start(t, testFolder(t));
    const plug = await device(t, mosquitto.port);
    await plug.publishAsync("north/devices/plug/state", "kept", { qos: 1, retain: true });
    const place = open(t, mosquitto.port, { prefix: "north/", protocol });
    await join(place);
    await eventually(() => place.heard.find(({ retained }) => retained));
    t.hasStrict(place.heard[0], { topic: "devices/plug/state", retained: true });
    await plug.publishAsync("south/devices/plug/state", "not ours", { qos: 1 });
    await plug.publishAsync("north/devices/plug/state", "live", { qos: 1 });
    const live = await eventually(() => place.heard[1]);
    t.hasStrict(live, { topic: "devices/plug/state", retained: false, qos: 1 });
    t.equal(live.payload.toString(), "live");
    t.hasStrict(place.broker.retained("devices/+/state"), [
      { topic: "devices/plug/state", payload: Buffer.from("live") },
    ]);

    const commands: string[] = [];
    plug.on("message", (topic, payload) => commands.push(`${topic} ${payload}`));
    await plug.subscribeAsync("north/devices/plug/command", { qos: 1 });
    let sent = 0;
    t.equal(
      place.broker.publish({ topic: "devices/plug/command", payload: "on", onSent: () => (sent += 1) }, 10_000),
      "sent",
    );
    await eventually(() => commands[0]);
    t.same(commands, ["north/devices/plug/command on"]);
    await eventually(() => sent || undefined);
    t.match(place.broker.figures, { connected: true, connections: 1, sent: 1, waiting: 0 });
  });
}

t.test("a message is acknowledged when it is on disk: otherwise it comes again", { skip }, async (t) => {
  const mosquitto = await Mosquitto.start(t, testFolder(t));
  const place = open(t, mosquitto.port);
  await join(place);
  const plug = await device(t, mosquitto.port);
  const onDisk = new Set<string>();
  place.take = async (message) => {
    if (
      place.heard.filter(({ payload }) => payload.equals(message.payload)).length === 1 &&
      message.payload.toString() !== "2"
    )
      throw new Problem("storage_full", "full");
    onDisk.add(message.payload.toString());
  };
  for (const text of ["1", "2", "3"]) await plug.publishAsync("devices/plug/state", text, { qos: 1 });
  await eventually(() => (onDisk.size === 3 ? true : undefined));
  const count = (text: string): number => place.heard.filter(({ payload }) => payload.toString() === text).length;
  t.ok(count("1") >= 2 && count("3") >= 2, "what could not be stored came a second time");
  await eventually(() => (place.broker.figures.connections >= 2 ? true : undefined));
  t.pass("on another connection");
});

t.test("a message that cannot be delivered is not sent forever", { skip }, async (t) => {
  const mosquitto = await Mosquitto.start(t, testFolder(t));
  const place = open(t, mosquitto.port);
  await join(place);
  const plug = await device(t, mosquitto.port);
  place.take = async () => {
    throw new Error("no");
  };
  await plug.publishAsync("devices/plug/state", "1", { qos: 1 });
  await plug.publishAsync("devices/plug/state", "2", { qos: 1 });
  await eventually(() => place.heard[1]);
  t.equal(place.broker.figures.connections, 1);
});

t.test("messages are read concurrently while earlier ones wait for the disk", { skip }, async (t) => {
  const mosquitto = await Mosquitto.start(t, testFolder(t));
  const place = open(t, mosquitto.port);
  await join(place);
  const plug = await device(t, mosquitto.port);
  let release = (): void => {};
  const disk = new Promise<void>((resolve) => (release = resolve));
  place.take = () => disk;
  await Promise.all(
    Array.from({ length: 50 }, (_, n) => plug.publishAsync("devices/plug/state", String(n), { qos: 1 })),
  );
  await eventually(() => (place.heard.length === 50 ? true : undefined));
  t.equal(place.broker.figures.unfinished, 50);
  release();
  await eventually(() => (place.broker.figures.unfinished === 0 ? true : undefined));
});

t.test("messages published while the hub was away arrive when it is back", { skip }, async (t) => {
  const mosquitto = await Mosquitto.start(t, testFolder(t));
  const first = open(t, mosquitto.port);
  await join(first);
  await first.broker.stop();
  const plug = await device(t, mosquitto.port);
  for (let n = 0; n < 100; n++) await plug.publishAsync("devices/plug/state", String(n), { qos: 1 });
  const second = open(t, mosquitto.port);
  await join(second);
  await eventually(() => (second.heard.length >= 100 ? true : undefined));
  t.same(
    second.heard.map(({ payload }) => payload.toString()),
    Array.from({ length: 100 }, (_, n) => String(n)),
    "all, in order",
  );
});

t.test("an unresponsive broker does not keep the hub from ending", { skip }, async (t) => {
  const mosquitto = await Mosquitto.start(t, testFolder(t));
  const place = open(t, mosquitto.port);
  await join(place);
  mosquitto.freeze();
  t.equal(place.broker.publish({ topic: "devices/plug/set", payload: "{}" }, 60_000), "sent");
  await place.broker.stop();
  t.equal(place.broker.isConnected, false);
});

t.test("messages that arrive while the hub ends are there for the next", { skip }, async (t) => {
  const mosquitto = await Mosquitto.start(t, testFolder(t));
  const place = open(t, mosquitto.port);
  await join(place);
  const plug = await device(t, mosquitto.port);
  let release = (): void => {};
  place.take = () => new Promise((resolve) => (release = resolve));
  await plug.publishAsync("devices/plug/state", "before", { qos: 1 });
  await eventually(() => place.heard[0]);
  const stopped = place.broker.stop();
  await plug.publishAsync("devices/plug/state", "meanwhile", { qos: 1 });
  release();
  await stopped;
  const second = open(t, mosquitto.port);
  await join(second);
  await eventually(() => second.heard[0]);
  t.same(
    second.heard.map(({ payload }) => payload.toString()),
    ["meanwhile"],
  );
});

t.test("the broker is restarted under messages: nothing is lost in either direction", { skip }, async (t) => {
  const mosquitto = await Mosquitto.start(t, testFolder(t));
  const place = open(t, mosquitto.port);
  await join(place);
  // Like careful firmware: a session of its own, and unacknowledged messages are sent again.
  const plug = await device(t, mosquitto.port, { clientId: "plug", clean: false });
  const commands: string[] = [];
  plug.on("message", (_topic, payload) => commands.push(payload.toString()));
  await plug.subscribeAsync("devices-commands/plug", { qos: 1 });
  const published: Promise<unknown>[] = [];
  for (let n = 0; n < 300; n++) {
    published.push(plug.publishAsync("devices/plug/state", String(n), { qos: 1 }));
    if (n % 10 === 0) place.broker.publish({ topic: "devices-commands/plug", payload: `c${n}` }, 30_000);
    if (n === 150) {
      await mosquitto.stop("SIGTERM");
      await eventually(() => (place.broker.isConnected ? undefined : true));
      t.type(await eventually(() => place.broker.figures.reason ?? undefined), "string");
      t.equal(place.broker.publish({ topic: "devices-commands/plug", payload: "in the cut" }, 30_000), "queued");
      place.broker.publish({ topic: "devices-commands/plug", payload: "too late" }, 1);
      await mosquitto.start();
    }
  }
  await Promise.all(published);
  const texts = (): Set<string> => new Set(place.heard.map(({ payload }) => payload.toString()));
  await eventually(() => (texts().size === 300 ? true : undefined));
  t.equal(texts().size, 300, "every message came");
  const expected = [...Array.from({ length: 30 }, (_, n) => `c${n * 10}`), "in the cut"];
  await eventually(() => (expected.every((text) => commands.includes(text)) ? true : undefined));
  t.notOk(commands.includes("too late"), "no command late");
  t.ok(place.broker.figures.connections >= 2);
});

t.test(
  "a command for a device that has not subscribed yet waits for it, not longer than its time",
  { skip },
  async (t) => {
    const mosquitto = await Mosquitto.start(t, testFolder(t));
    const place = open(t, mosquitto.port);
    await join(place);
    let sent = 0;
    place.broker.publish(
      { topic: "devices/gate/command", payload: "open", isThere: () => true, onSent: () => (sent += 1) },
      30_000,
    );
    place.broker.publish({ topic: "devices/gate/command", payload: "stale", isThere: () => true }, 200);
    await eventually(() => (place.broker.figures.expired === 1 ? true : undefined));
    t.equal(sent, 0, "no device is there");
    const gate = await device(t, mosquitto.port);
    const commands: string[] = [];
    gate.on("message", (_topic, payload) => commands.push(payload.toString()));
    await gate.subscribeAsync("devices/gate/command", { qos: 1 });
    await eventually(() => (sent === 1 ? true : undefined));
    t.same(commands, ["open"]);
  },
);

t.test("a missing broker does not prevent the start, and is joined when it comes", { skip }, async (t) => {
  const mosquitto = await Mosquitto.start(t, testFolder(t));
  await mosquitto.stop("SIGTERM");
  const place = open(t, mosquitto.port);
  await place.broker.start();
  await eventually(() => place.broker.figures.reason ?? undefined);
  t.match(place.broker.figures, { connected: false, connections: 0 });
  await mosquitto.start();
  await eventually(() => place.broker.isConnected || undefined);
});

for (const protocol of ["5", "3.1.1"] as const) {
  t.test(`a message of 30 MB is skipped, with MQTT ${protocol}, and comes once`, { skip }, async (t) => {
    const mosquitto = await Mosquitto.start(t, testFolder(t));
    const place = open(t, mosquitto.port, { protocol });
    const other = await device(t, mosquitto.port, { clientId: "other" });
    await other.publishAsync("devices/a/state", Buffer.alloc(30 * 1_048_576, "x"), { qos: 1, retain: true });
    await join(place);
    for (let n = 0; n < 3; n++) await other.publishAsync("devices/b/state", `small ${n}`, { qos: 1 });
    await eventually(() => (place.heard.length >= 3 ? true : undefined));
    t.same(
      place.heard.map(({ topic, payload }) => `${topic} ${payload}`),
      [0, 1, 2].map((n) => `devices/b/state small ${n}`),
      "nothing else is received",
    );
    t.equal(place.broker.figures.connections, 1, "and the connection holds");
    await other.publishAsync("devices/a/state", Buffer.alloc(30 * 1_048_576, "x"), { qos: 1 });
    await other.publishAsync("devices/b/state", "small 3", { qos: 1 });
    await eventually(() => place.heard[3]);
    await place.broker.stop();
    const next = open(t, mosquitto.port, { protocol });
    await join(next);
    await other.publishAsync("devices/b/state", "small 4", { qos: 1 });
    await eventually(() => next.heard[0]);
    t.same(
      next.heard.map(({ payload }) => String(payload)),
      ["small 4"],
      "it was acknowledged",
    );
  });
}

t.test(
  "no command arrives late over a stalled connection: it is cut when the command's time is over",
  { skip },
  async (t) => {
    const mosquitto = await Mosquitto.start(t, testFolder(t));
    let stands = false;
    const line = createServer((hub) => {
      const broker = connect(mosquitto.port, "127.0.0.1");
      let held: Buffer[] = [];
      const timer = setInterval(() => {
        if (!stands) for (const chunk of held.splice(0)) broker.write(chunk);
      }, 10);
      hub.on("data", (chunk) => held.push(chunk));
      broker.on("data", (chunk) => hub.write(chunk));
      const end = (): void => {
        clearInterval(timer);
        held = [];
        hub.destroy();
        broker.destroy();
      };
      for (const socket of [hub, broker]) socket.on("error", end).on("close", end);
    }).listen(0, "127.0.0.1");
    t.teardown(() => line.close());
    await new Promise((resolve) => line.once("listening", resolve));
    const { port } = line.address() as AddressInfo; // of a TCP server
    const place = open(t, port, { protocol: "3.1.1" });
    const heard: string[] = [];
    const lamp = await device(t, mosquitto.port, { clientId: "lamp" });
    lamp.on("message", (_topic, payload) => heard.push(String(payload)));
    await lamp.subscribeAsync("devices/lamp/command", { qos: 1 });
    await join(place);
    stands = true;
    const begun = performance.now();
    t.equal(place.broker.publish({ topic: "devices/lamp/command", payload: "late" }, 200), "sent");
    await eventually(() => place.broker.figures.reason ?? undefined);
    t.match(place.broker.figures.reason, /does not answer/);
    t.ok(performance.now() - begun < 20_000, "long before the keep-alive would detect it");
    stands = false;
    await eventually(() => place.broker.isConnected || undefined);
    place.broker.publish({ topic: "devices/lamp/command", payload: "in time" }, 30_000);
    await eventually(() => (heard.length > 0 ? true : undefined));
    t.same(heard, ["in time"]);
    await eventually(() => place.broker.figures.waiting === 0 || undefined); // its acknowledgement is on its way
  },
);
