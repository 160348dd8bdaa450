/**
 * Recorded conversations over real MQTT against a whole hub with all its families, seen from outside through the API.
 */
import mqtt from "mqtt";
import t, { type Test } from "tap";
import { FAMILIES } from "../../firmware-bridge/families.ts";
import type { BridgedDevice, Effect, Family } from "../../firmware-bridge/family.ts";
import { ALL_SCOPES } from "../../src/core/api/scopes.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { filterMatches } from "../../src/core/kernel/topic-tree.ts";
import { mergeState } from "../../src/features/devices/rules/device-state.ts";
import { type Meter, readMeter } from "../../src/features/energy/rules/energy-counter.ts";
import { type CallAnswer, send } from "./api-client.ts";
import { type ConsoleHub, startConsoleHub } from "./console-hub.ts";
import { type Conversation, conversations, payloadText, type Step } from "./conversation.ts";
import { FakeClock } from "./fake-clock.ts";
import { eventually } from "./hub-process.ts";

const PIECE_MS = 20_000;

/** The expected state of a device, by the family's own effects. */
interface Expected {
  readonly device: BridgedDevice;
  state: JsonObject;
  readonly measured: Record<string, number>;
  readonly meters: Map<string, Meter>;
  online: boolean | null;
  isGone: boolean;
}

/** The family beside the hub: it hears the same at the same times, and shows the expected effects. */
class Oracle {
  readonly devices = new Map<string, Expected>();
  readonly published: { topic: string; payload: string }[] = [];
  /** Devices with messages since it was emptied. */
  readonly spokenOf = new Set<string>();
  readonly #family: Family;
  readonly #adapter;
  readonly #clock: FakeClock;
  readonly #retained = new Map<string, Buffer>();
  #isAsking = false;

  constructor(family: Family, clock: FakeClock) {
    this.#family = family;
    this.#clock = clock;
    this.#adapter = family.open({ prefix: family.prefix });
    this.#adapter.restore([]);
    clock.every(1_000, () => this.#carry(this.#adapter.passed?.(clock.now()) ?? [], true, 0));
    clock.after(60_000, () => this.connected());
    this.connected();
  }

  /** A client connected: soon every device is polled, once for all that connect meanwhile. */
  attached(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#clock.after(3_000, () => {
      this.#isAsking = false;
      this.connected();
    });
  }

  connected(): void {
    this.#carry(this.#adapter.connected(this.#clock.now()), true, 0);
  }

  message(topic: string, payload: Buffer, retain: boolean): void {
    if (retain && payload.length > 0) this.#retained.set(topic, payload);
    else if (retain) this.#retained.delete(topic);
    if (this.#family.filters(this.#family.prefix).some((filter) => filterMatches(filter, topic)))
      this.#hear(topic, payload, true, 0);
  }

  /** A retained message on a topic that is not the client's yet: the family hears it when it recalls it. */
  keep(topic: string, payload: Buffer): void {
    this.#retained.set(topic, payload);
  }

  #hear(topic: string, payload: Buffer, live: boolean, depth: number): void {
    this.#carry(this.#adapter.message({ topic, payload, retained: !live, at: this.#clock.now() }), live, depth);
  }

  #carry(effects: readonly Effect[], live: boolean, depth: number): void {
    const recalled: string[] = [];
    for (const effect of effects) {
      if (effect.do === "publish" && (effect.afterMs ?? 0) === 0) this.published.push(effect.message);
      else if (effect.do === "recall") recalled.push(...effect.filters);
      else if (effect.do === "device") this.#announced(effect.device);
      else if ("key" in effect) this.#told(effect, live);
    }
    if (depth >= 4) return;
    for (const filter of recalled) {
      for (const [topic, payload] of this.#retained)
        if (filterMatches(filter, topic)) this.#hear(topic, payload, false, depth + 1);
    }
  }

  #announced(device: BridgedDevice): void {
    const known = this.devices.get(device.key);
    this.spokenOf.add(device.key);
    const fresh = { state: {}, measured: {}, meters: new Map(), online: null };
    this.devices.set(device.key, { ...(known ?? fresh), device, isGone: false });
  }

  #told(effect: Exclude<Effect, { do: "device" | "publish" | "recall" | "problem" }>, live: boolean): void {
    const known = this.devices.get(effect.key);
    if (known === undefined || known.isGone) return;
    this.spokenOf.add(effect.key);
    if (effect.do === "state") {
      known.state = mergeState(known.state, effect.patch).state;
      // a state describes the present: measured before, or gone
      for (const key of Object.keys(effect.patch)) delete known.measured[key];
    } else if (effect.do === "availability") known.online = effect.online;
    else if (effect.do === "telemetry" && live) Object.assign(known.measured, effect.data);
    else if (effect.do === "gone") Object.assign(known, { isGone: true, online: false });
    else if (effect.do === "counter") {
      const before = known.meters.get(effect.metric) ?? null;
      if (before !== null && !live) return;
      const step = readMeter(before, { wattHours: effect.wattHours, epoch: effect.epoch, at: this.#clock.now() });
      known.meters.set(effect.metric, step.meter);
      if (live && !step.quarantined) known.measured[effect.metric] = Math.round(step.meter.total * 10) / 10_000;
    }
  }
}

/** A connection under an accepted credential. */
class Speakers {
  readonly received: { topic: string; payload: string }[] = [];
  readonly #hub: ConsoleHub;
  readonly #username: string;
  readonly #own: mqtt.MqttClient;
  /** Rejects when the connection ends: it would wait for its PUBACK forever. */
  readonly #ended: Promise<never>;

  private constructor(hub: ConsoleHub, username: string, own: mqtt.MqttClient) {
    this.#hub = hub;
    this.#username = username;
    this.#own = own;
    this.#ended = new Promise((_, reject) =>
      own.once("close", () => reject(new Error("the hub ended the connection"))),
    );
    this.#ended.catch(() => {});
    own.on("message", (topic, payload) => this.received.push({ topic, payload: payload.toString() }));
  }

  static async open(hub: ConsoleHub, family: string): Promise<Speakers> {
    const { body } = await hub.call("POST", "/api/bridge/clients", { family, name: "Replay" });
    const { username, password } = body as { username: string; password: string };
    const url = `mqtt://127.0.0.1:${hub.hub.mqtt.broker.port}`;
    const options = { username, password, protocolVersion: 4, reconnectPeriod: 0 } as const;
    const own = await mqtt.connectAsync(url, { ...options, clientId: "replay" });
    const speakers = new Speakers(hub, username, own);
    await own.subscribeAsync("+/#", { qos: 1 });
    return speakers;
  }

  /** Resolves once the hub has stored the message; false when the credential may not publish there. */
  async say(topic: string, payload: Buffer, retain: boolean): Promise<boolean> {
    const may = this.#hub.hub.bridge.clientAccess.mayPublish(
      { username: this.#username, mqttClientId: "replay" },
      topic,
    );
    await Promise.race([this.#own.publishAsync(topic, payload, { qos: 1, retain }), this.#ended]);
    return may;
  }

  async close(): Promise<void> {
    await this.#own.endAsync();
  }
}

class Replay {
  readonly #t: Test;
  readonly #hub: ConsoleHub;
  readonly #clock: FakeClock;
  readonly #speakers: Speakers;
  readonly #oracle: Oracle;
  readonly #family: Family;
  readonly #key: string;

  constructor(
    t: Test,
    parts: { hub: ConsoleHub; clock: FakeClock; speakers: Speakers; oracle: Oracle; family: Family; key: string },
  ) {
    this.#t = t;
    this.#key = parts.key;
    this.#hub = parts.hub;
    this.#clock = parts.clock;
    this.#speakers = parts.speakers;
    this.#oracle = parts.oracle;
    this.#family = parts.family;
  }

  async step(step: Step, name: string): Promise<void> {
    const before = this.#oracle.published.length;
    this.#clock.advance(10); // samples of one moment have no order
    if ("message" in step) {
      const { topic, payload, retained = false } = step.message;
      const bytes = Buffer.from(payloadText(payload));
      if (bytes.length > 60_000) {
        this.#t.fail(`${name}: the message is too large`);
        return;
      }
      if (await this.#speakers.say(topic, bytes, retained)) this.#oracle.message(topic, bytes, retained);
      else if (retained)
        this.#oracle.keep(topic, bytes); // its announcement gives it a meaning
      else this.#t.same(step.effects, [], `${name}: ${topic} is not the client's, and means nothing to the family`);
    } else if ("passed" in step) {
      // In pieces: a message that leaves in between must be sent before its time is over.
      for (let left = step.passed; left > 0; left -= PIECE_MS) {
        this.#clock.advance(Math.min(left, PIECE_MS));
        await this.#hub.hub.base.database.write(() => {});
      }
    } else if ("connected" in step) {
      this.#hub.hub.bridge.core.attached();
      this.#oracle.attached();
      this.#clock.advance(3_000);
    } else await this.#command(step, name);
    // The clock's effects belong to no message to wait for: a device is made in one commit, and its messages follow in
    // the next.
    if ("passed" in step || "connected" in step)
      for (let commits = 0; commits < 3; commits++) await this.#hub.hub.base.database.write(() => {});
    for (const message of this.#oracle.published.slice(before)) await this.#published(message, name);
    const keys = [...this.#oracle.spokenOf];
    this.#oracle.spokenOf.clear();
    await this.compare(name, keys);
  }

  async #command(step: Extract<Step, { command: unknown } | { unsupported: unknown }>, name: string): Promise<void> {
    const { key, command } = "command" in step ? step.command : step.unsupported;
    const deviceId = this.#deviceId(key);
    if (!this.#oracle.devices.has(key) && "unsupported" in step) return; // the hub could not be queried for it
    if (deviceId === null) return this.#t.fail(`${name}: ${key} is not a device of the hub`) as never;
    const expected = this.#oracle.devices.get(key);
    const answer = await this.#v1("POST", `/v1/devices/${deviceId}/commands`, command);
    if ("unsupported" in step) {
      this.#t.match(
        answer,
        { status: 400, body: { error: { code: "unsupported_command" } } },
        `${name}: ${JSON.stringify(command)} is refused`,
      );
      return;
    }
    this.#t.equal(answer.status, 202, `${name}: ${JSON.stringify(command)} is accepted`);
    // it is kept until the device is back
    if (expected?.online === false && expected.device.reportSeconds === null) return;
    for (const { topic, payload } of step.publish) await this.#published({ topic, payload }, name);
  }

  async #published(message: { topic: string; payload: unknown }, name: string): Promise<void> {
    const wanted = { topic: message.topic, payload: comparable(payloadText(message.payload)) };
    const { received } = this.#speakers;
    const found = await eventually(() => {
      const index = received.findIndex(
        ({ topic, payload }) => topic === wanted.topic && comparable(payload) === wanted.payload,
      );
      return index === -1 ? undefined : received.splice(0, index + 1).at(-1);
    }, 5_000).catch(() => null);
    this.#t.ok(found, `${name}: ${wanted.topic} ${wanted.payload}`);
  }

  #deviceId(key: string): string | null {
    return (
      this.#hub.hub.bridge.core.entries().find((entry) => entry.family === this.#family.name && entry.key === key)
        ?.deviceId ?? null
    );
  }

  /** Compares these devices of the hub with the family's expectations. */
  async compare(name: string, keys: readonly string[] = [...this.#oracle.devices.keys()]): Promise<void> {
    for (const key of keys) {
      const expected = this.#oracle.devices.get(key);
      if (expected === undefined) continue;
      const deviceId = this.#deviceId(key);
      const answer = await this.#v1("GET", `/v1/devices/${deviceId}`);
      const { device } = answer.body as { device: { state: JsonObject; online: boolean; model: string | null } };
      if (answer.status !== 200) {
        this.#t.fail(`${name}: ${key} is ${answer.status}`);
        return;
      }
      for (const [field, value] of Object.entries(expected.state)) {
        if (!Object.hasOwn(expected.measured, field))
          this.#differs(device.state[field], value, `${name}: ${key} ${field}`);
      }
      for (const metric of Object.keys(expected.measured))
        if (!Object.hasOwn(device.state, metric)) this.#t.fail(`${name}: ${key} has no ${metric} in its state`);
      if (expected.online !== null && expected.device.reportSeconds === null)
        this.#differs(device.online, expected.online, `${name}: ${key} online`);
      await this.#compareSamples(deviceId ?? "", expected, `${name}: ${key}`);
    }
  }

  async #compareSamples(deviceId: string, expected: Expected, name: string): Promise<void> {
    if (Object.keys(expected.measured).length === 0) return;
    const { body } = await this.#v1("GET", `/v1/devices/${deviceId}/telemetry?limit=200`);
    const { telemetry } = body as { telemetry: { data: JsonObject }[] };
    const newest: JsonObject = {};
    for (const { data } of [...telemetry].reverse()) Object.assign(newest, data);
    for (const [metric, value] of Object.entries(expected.measured))
      this.#differs(newest[metric], value, `${name} ${metric}`);
  }

  #v1(method: string, path: string, json?: unknown): Promise<CallAnswer> {
    return send(this.#hub.port, method, path, { key: this.#key, ...(json === undefined ? {} : { json }) });
  }

  /** One assertion for each difference: a conversation has thousands of comparisons. */
  #differs(found: unknown, wanted: unknown, name: string): void {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) this.#t.same(found, wanted, name);
  }
}

function comparable(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload));
  } catch {
    return payload;
  }
}

async function replayOverMqtt(t: Test, family: Family, conversation: Conversation): Promise<void> {
  const clock = new FakeClock();
  const env = {
    GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS: "0",
    GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0",
    ...(conversation.prefix === undefined
      ? {}
      : { GATEHOUSE_BRIDGE_PREFIXES: `${family.name}=${conversation.prefix}` }),
  };
  const hub = await startConsoleHub(t, { clock, env });
  const oracle = new Oracle(
    conversation.prefix === undefined ? family : { ...family, prefix: conversation.prefix },
    clock,
  );
  const speakers = await Speakers.open(hub, family.name);
  oracle.attached();
  const made = await hub.call("POST", "/api/keys", { name: "replay", env: "live", scopes: [...ALL_SCOPES] });
  const replay = new Replay(t, { hub, clock, speakers, oracle, family, key: made.body.secret });
  for (const [index, step] of conversation.steps.entries()) await replay.step(step, `step ${index + 1}`);
  await replay.compare("in the end");
  const devices = (await hub.call("GET", "/api/bridge/devices")).body as { devices: { deviceId: string }[] };
  const wanted = [...oracle.devices.values()].filter(({ isGone }) => !isGone).length;
  t.ok(devices.devices.length >= wanted, `${wanted} devices are listed`);
  t.same(
    devices.devices.filter(({ deviceId }) => !/^[A-Za-z0-9_-]{1,64}$/.test(deviceId)),
    [],
    "every id is valid",
  );
  await speakers.close();
}

/** Replays every conversation of a family, or the one that the environment's REPLAY_ONLY names. */
export function replayFamilyOverMqtt(name: string): void {
  t.setTimeout(280_000);
  const family = FAMILIES.find((candidate) => candidate.name === name);
  if (family === undefined) {
    t.fail(`the hub has no family ${name}`);
    return;
  }
  const only = process.env.REPLAY_ONLY;
  for (const conversation of conversations(name).filter((candidate) => only === undefined || candidate.name === only)) {
    t.test(`${conversation.name}: ${conversation.about}`, (t) => replayOverMqtt(t, family, conversation));
  }
}
