/**
 * The bridge between firmware of other makes and the hub: messages to the families that understand them, their effects to
 * the hub's devices, the hub's commands back in the firmware's words.
 *
 * In: messages that are no native ones, commands for bridged devices. Out: devices, states, samples, events, plates by way
 * of {@link BridgeDevices}; messages by way of {@link BridgeBroker}. It keeps which device of which family is which device
 * of the hub. Must never know: a topic or payload of any firmware (that is in the families' folders), SQL, HTTP, sockets.
 */
import type { JsonObject } from "../src/contract/facts.js";
import type { Clock, Timer } from "../src/kernel/clock.js";
import type { Logger } from "../src/kernel/logger.js";
import { Problem } from "../src/kernel/problem.js";
import { AwaitedCommands } from "./awaited-commands.js";
import { Carrier, type Occasion } from "./carrier.js";
import { DeviceBook, type Entry } from "./device-book.js";
import type { BridgeMessage, Effect, Family, Outgoing, TopicAccess, Translation } from "./family.js";
import { type Member, Members } from "./members.js";
import { Meters } from "./meters.js";
import type { BridgeBroker, BridgeDevices, BridgeMemory, CommandNews, Speaker } from "./ports.js";
import { ProblemList } from "./problem-list.js";
import { RecordKeeper } from "./record-keeper.js";
import { StateMirror } from "./state-mirror.js";

/** What a {@link Bridge} needs. */
export interface BridgeOptions {
  /** In order of preference. */
  readonly families: readonly Family[];
  /** Base topics that the owner changed, by family. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly devices: BridgeDevices;
  readonly memory: BridgeMemory;
  readonly broker: BridgeBroker;
  readonly news: CommandNews;
  /** The devices that speak through a credential are others now; its rights have to be asked again. */
  readonly speakerChanged: (speaker: Speaker, family: string) => void;
  readonly maxDevices: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A message with what the bridge must know of its sender. */
export interface ArrivingMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Its sender waits until what it says is on disk. */
  readonly durable: boolean;
  /** Another broker had kept it: it tells how things are, not that something happened. */
  readonly retained?: boolean;
  /** Null: it came by way of another broker. */
  readonly speaker: (Speaker & { readonly pending: boolean }) | null;
}

/** How the effects of one message are carried out. */
interface Course {
  readonly occasion: Occasion;
  /** What the sender waits for. */
  readonly work: Promise<void>[];
  /** How often retained messages were recalled on the way here. */
  readonly depth: number;
}

const TICK_MS = 1_000;
const SAVE_MS = 2_000;
/** Clients that come back together are asked together. */
const ASK_AFTER_MS = 3_000;
const ASK_AGAIN_MS = 60_000;
const MOST_LATER = 1_000;
const LATEST_MS = 60_000;
const MESSAGE_TTL_MS = 60_000;
const MOST_RECALLS = 4;
const MOST_TOPICS = 50_000;
/** Home Assistant's birth topic: much firmware announces itself again when it is said there that somebody is home. */
const BIRTH = { topic: "homeassistant/status", payload: "online" } as const;

/** The bridge. */
export class Bridge {
  readonly name = "bridge";
  readonly #options: BridgeOptions;
  readonly #members: Members;
  readonly #book: DeviceBook;
  readonly #meters = new Meters();
  readonly #mirror: StateMirror;
  readonly #commands: AwaitedCommands;
  readonly #carrier: Carrier;
  readonly #keeper: RecordKeeper;
  readonly #problems = new ProblemList();
  /** Which device a retained topic spoke of last. */
  readonly #topics = new Map<string, Entry>();
  readonly #later = new Set<Timer>();
  #timers: Timer[] = [];
  #askTimer: Timer | null = null;
  /** What is being handled, for a problem's line in the list. */
  #present: { readonly topic: string; readonly payload?: Uint8Array } = { topic: "" };
  #figures = { messages: 0, understood: 0, commands: 0 };

  constructor(options: BridgeOptions) {
    const { families, devices, clock, news, broker, memory, logger } = options;
    this.#options = options;
    this.#members = new Members({ ...options, failed: (family, error) => this.#familyFailed(family, error) });
    this.#book = new DeviceBook({ families: families.map(({ name }) => name), clock });
    const stateOf = (deviceId: string): JsonObject | null => devices.find(deviceId)?.state ?? null;
    this.#mirror = new StateMirror({ stateOf, write: (deviceId, patch) => void devices.state(deviceId, patch).catch(() => {}), clock });
    const publish = (messages: readonly Outgoing[], ttlMs: number): void => {
      for (const message of messages) broker.publish(message, ttlMs);
    };
    this.#commands = new AwaitedCommands({ stateOf, publish, news, clock });
    this.#carrier = new Carrier({
      book: this.#book,
      devices,
      meters: this.#meters,
      mirror: this.#mirror,
      commands: this.#commands,
      clock,
      maxDevices: options.maxDevices,
      speakerChanged: (entry) => entry.speaker && options.speakerChanged(entry.speaker, entry.family),
      problem: (family, reason) => this.#problem(family, reason),
    });
    this.#keeper = new RecordKeeper({ book: this.#book, meters: this.#meters, memory, clock, logger });
  }

  /** Messages that came, messages that some family understood, commands sent, devices, problems; since start. */
  get figures(): { readonly messages: number; readonly understood: number; readonly commands: number; readonly devices: number; readonly problems: number } {
    return { ...this.#figures, devices: this.#book.bound, problems: this.#problems.total };
  }

  /** Reads what the last run knew and gives it to the families. Before the broker opens its doors. */
  async start(): Promise<void> {
    const { memory } = this.#options;
    const known = memory.devices();
    this.#book.load(known);
    this.#meters.load(memory.meters());
    this.#members.restore(known);
  }

  /** The broker runs: takes in what is retained and asks everybody how they are. Called again when the hub gets its household. */
  async join(): Promise<void> {
    const { broker, clock } = this.#options;
    if (!this.#options.devices.ready() || this.#timers.length > 0) return;
    this.#timers = [
      clock.every(TICK_MS, () => this.#tick()),
      clock.every(SAVE_MS, () => void this.#keeper.save()),
      clock.after(ASK_AGAIN_MS, () => {
        broker.publish(BIRTH, MESSAGE_TTL_MS);
        this.#ask();
      }),
    ];
    for (const { topic, payload } of broker.retained("#")) this.#settled(this.#route({ topic, payload, retained: true }, null, false));
    broker.publish(BIRTH, MESSAGE_TTL_MS);
    this.#ask();
  }

  /** Ends what the bridge does by itself. Before the broker stops. */
  async leave(): Promise<void> {
    for (const timer of [...this.#timers, ...this.#later, ...(this.#askTimer ? [this.#askTimer] : [])]) timer.stop();
    this.#timers = [];
    this.#later.clear();
    this.#askTimer = null;
  }

  /** Writes what was learned. */
  async stop(): Promise<void> {
    await this.leave();
    await this.#keeper.save(true);
  }

  /** A message of a client, or of another broker. Resolves when what it says is on disk. @throws Problem `storage_full`, `unavailable`. */
  async message({ topic, payload, durable, speaker, retained = false }: ArrivingMessage): Promise<void> {
    if (!this.#options.devices.ready()) return;
    this.#figures.messages += 1;
    await this.#route({ topic, payload, retained }, speaker, durable);
  }

  /** A client has connected: soon everybody is asked. */
  attached(): void {
    this.#askTimer ??= this.#options.clock.after(ASK_AFTER_MS, () => {
      this.#askTimer = null;
      this.#ask();
    });
  }

  /** A client's connection has ended: devices that never speak of their presence went with it. */
  detached(speaker: Speaker): void {
    for (const entry of this.#book.all()) {
      const isIts = entry.speaker?.client === speaker.client && entry.speaker.mqttClientId === speaker.mqttClientId;
      if (!isIts || entry.online !== null || entry.fate !== "bound" || entry.deviceId === null) continue;
      this.#settled(this.#options.devices.presence(entry.deviceId, false));
    }
  }

  /** Whether a device of the hub is reached by way of the bridge. */
  has(deviceId: string): boolean {
    return this.#book.ofDevice(deviceId) !== null;
  }

  /**
   * Sends a command of the hub's words to a device: at once, or when it is there again within `ttlMs`.
   * @throws Problem `unsupported_command`.
   */
  deliver(deviceId: string, payload: string, ttlMs: number, from = ""): "sent" | "queued" {
    const entry = this.#book.ofDevice(deviceId);
    const member = entry === null ? null : this.#members.find(entry.family);
    if (entry === null || member === null) throw new Problem("unsupported_command", "Nobody speaks for this device now.");
    const command = JSON.parse(payload) as JsonObject; // an object: checked by whoever accepted it
    const otherwise: Translation = { unsupported: "its family could not translate the command" };
    const translation = this.#members.call(member, otherwise, () => member.adapter.command(entry.key, command));
    if ("unsupported" in translation) throw new Problem("unsupported_command", `The device cannot do that: ${translation.unsupported}.`);
    this.#figures.commands += 1;
    const translated = { deviceId, payload, from, publish: translation.publish, expects: translation.expects };
    if (entry.online === false && entry.device.reportSeconds === null) {
      this.#commands.hold(translated, ttlMs);
      return "queued";
    }
    this.#commands.send(translated, ttlMs);
    return "sent";
  }

  /** The owner removed a device: its retained messages do not bring it back, a new announcement does. */
  removed(deviceId: string): void {
    const entry = this.#book.ofDevice(deviceId) ?? this.#book.all().find((other) => other.deviceId === deviceId) ?? null;
    this.#meters.forget(deviceId);
    this.#mirror.forget(deviceId);
    this.#commands.forget(deviceId);
    if (entry === null) return;
    const member = this.#members.find(entry.family);
    if (member !== null) this.#members.call(member, undefined, () => member.adapter.forget(entry.key));
    entry.online = null;
    this.#book.setFate(entry, "removed");
  }

  /** What a client of these families may use; a family without keys stands for all that it may. Never the native topics: that is the broker's to see to. */
  access(mqttClientId: string, families: ReadonlyMap<string, readonly string[]>): TopicAccess {
    const { publish, subscribe } = this.#members.access(mqttClientId, families);
    return { publish, subscribe: [...subscribe, BIRTH.topic] };
  }

  /** Whether messages of a topic may be larger than others. */
  isLarge(topic: string): boolean {
    return this.#members.isLarge(topic);
  }

  /** The families with the topics they listen to. */
  families(): readonly { readonly family: Family; readonly prefix: string | null; readonly topics: readonly string[] }[] {
    return this.#members.all.map(({ family, prefix, filters }) => ({ family, prefix, topics: filters }));
  }

  /** Every device that a family knows, with the hub's own where it has one. */
  entries(): readonly Entry[] {
    return this.#book.all();
  }

  /** Families that also see a device. */
  alsoSeenBy(entry: Entry): readonly string[] {
    return this.#book.alsoSeenBy(entry);
  }

  /** Whether some of a device's energy is an estimate. */
  isEstimated(deviceId: string): boolean {
    return this.#meters.isEstimated(deviceId);
  }

  /** The problems, to be listed and emptied. */
  get problems(): Pick<ProblemList, "list" | "clear"> {
    return this.#problems;
  }

  /** Whether a retained topic belongs to a device that is there. */
  isKnownTopic(topic: string): boolean {
    const fate = this.#topics.get(topic)?.fate;
    return fate === "bound" || fate === "shadowed";
  }

  async #route(message: { topic: string; payload: Uint8Array; retained: boolean }, speaker: ArrivingMessage["speaker"], durable: boolean): Promise<void> {
    const at = this.#options.clock.now();
    const work: Promise<void>[] = [];
    let understood = false;
    for (const member of this.#members.listening(message.topic)) {
      const occasion: Occasion = { family: member.family.name, live: !message.retained, durable, speaker, at };
      understood = this.#hear(member, { ...message, at }, { occasion, work, depth: 0 }) || understood;
    }
    if (understood) this.#figures.understood += 1;
    await Promise.all(work);
  }

  /** Gives one message to one family. Answers whether it meant something. */
  #hear(member: Member, message: BridgeMessage, course: Course): boolean {
    const before = this.#present;
    this.#present = message;
    const effects = this.#members.call<readonly Effect[]>(member, [], () => member.adapter.message(message));
    const filters = this.#carry(member, effects, course);
    this.#present = before;
    this.#recall(member, filters, course);
    return effects.some((effect) => effect.do !== "problem");
  }

  /** Carries effects out; answers the filters that are to be recalled. */
  #carry(member: Member, effects: readonly Effect[], { occasion, work }: Course): string[] {
    const filters: string[] = [];
    const ofDevices: Parameters<Carrier["carry"]>[0][number][] = [];
    for (const effect of effects) {
      if (effect.do === "problem") this.#problems.add({ ...effect, family: member.family.name, at: occasion.at, ...this.#example() });
      else if (effect.do === "recall") filters.push(...effect.filters);
      else if (effect.do === "publish") this.#publish(effect);
      else ofDevices.push(effect);
    }
    const { done, entries } = this.#carrier.carry(ofDevices, occasion);
    work.push(done);
    const { topic } = this.#present;
    for (const entry of entries) if (topic !== "") this.#topics.set(topic, entry);
    if (this.#topics.size > MOST_TOPICS) for (const old of [...this.#topics.keys()].slice(0, MOST_TOPICS / 5)) this.#topics.delete(old);
    return filters;
  }

  /** Gives a family the retained messages that it asked for. What these make it ask for comes too, some levels deep. */
  #recall(member: Member, filters: readonly string[], course: Course): void {
    if (course.depth >= MOST_RECALLS) return;
    const occasion = { ...course.occasion, live: false, durable: false };
    for (const filter of filters) {
      for (const { topic, payload } of this.#options.broker.retained(filter)) {
        this.#hear(member, { topic, payload, retained: true, at: occasion.at }, { ...course, occasion, depth: course.depth + 1 });
      }
    }
  }

  #publish({ message, afterMs = 0 }: Extract<Effect, { readonly do: "publish" }>): void {
    const { broker, clock } = this.#options;
    if (afterMs <= 0) broker.publish(message, MESSAGE_TTL_MS);
    else if (this.#later.size < MOST_LATER) {
      const timer: Timer = clock.after(Math.min(afterMs, LATEST_MS), () => {
        this.#later.delete(timer);
        broker.publish(message, MESSAGE_TTL_MS);
      });
      this.#later.add(timer);
    }
  }

  #ask(): void {
    const now = this.#options.clock.now();
    for (const member of this.#members.all) this.#byItself(member, () => member.adapter.connected(now));
  }

  #tick(): void {
    const now = this.#options.clock.now();
    for (const member of this.#members.all) if (member.adapter.passed !== undefined) this.#byItself(member, () => member.adapter.passed?.(now) ?? []);
    this.#mirror.passed();
    this.#commands.passed();
  }

  /** What a family does without a message. */
  #byItself(member: Member, act: () => readonly Effect[]): void {
    this.#present = { topic: "" };
    const effects = this.#members.call<readonly Effect[]>(member, [], act);
    if (effects.length === 0) return;
    const occasion: Occasion = { family: member.family.name, live: true, durable: false, speaker: null, at: this.#options.clock.now() };
    const course: Course = { occasion, work: [], depth: 0 };
    this.#recall(member, this.#carry(member, effects, course), course);
    this.#settled(Promise.all(course.work));
  }

  #familyFailed(family: string, error: unknown): void {
    this.#options.logger.error({ family, topic: this.#present.topic, err: error }, "a firmware family failed");
    this.#problem(family, "the hub could not handle this message; its log has more");
  }

  #problem(family: string, reason: string): void {
    this.#problems.add({ family, topic: this.#present.topic, reason, at: this.#options.clock.now(), ...this.#example() });
  }

  #example(): { payload?: Uint8Array } {
    return this.#present.payload === undefined ? {} : { payload: this.#present.payload };
  }

  /** Nobody waits for this; a full disk is said elsewhere. */
  #settled(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#options.logger.warn({ err: error }, "something a device of another make said could not be stored"));
  }
}
