/**
 * The bridge between firmware of other makes and the hub: messages to the families that understand them, their effects
 * to the hub's devices, the hub's commands back in the firmware's words.
 *
 * In: messages that are no native ones, commands for bridged devices. Out: devices, states, samples, events, plates by
 * way of {@link BridgeDevices}; messages by way of {@link BridgeBroker}. It keeps which device of which family is which
 * device of the hub. Must never know: a topic or payload of any firmware (that is in the families' folders), SQL, HTTP,
 * sockets.
 */
import type { JsonObject } from "../src/contract/facts.js";
import type { Timer } from "../src/kernel/clock.js";
import { Problem } from "../src/kernel/problem.js";
import { everyQuietWrite } from "../src/kernel/quiet-writes.js";
import { AwaitedCommands, type TranslatedCommand } from "./awaited-commands.js";
import type { ArrivingMessage, BridgeOptions } from "./bridge-options.js";
import { BridgePersistence } from "./bridge-persistence.js";
import type { Credential, CredentialContext } from "./credential-context.js";
import { CredentialContexts, clientOf } from "./credential-contexts.js";
import { type BoundDevice, DeviceBook } from "./device-book.js";
import { EffectApplier, type EffectContext } from "./effect-applier.js";
import type { BridgeMessage, Effect, Family, Outgoing, Translation } from "./family.js";
import type { Member } from "./members.js";
import { Meters } from "./meters.js";
import { OUTSIDE, type Speaker } from "./ports.js";
import { ProblemList } from "./problem-list.js";
import { StateMirror } from "./state-mirror.js";
import type { TopicRights } from "./topic-rights.js";

/** How the effects of one message are carried out. */
interface Course {
  readonly context: CredentialContext;
  readonly effectContext: EffectContext;
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
  readonly #contexts: CredentialContexts;
  readonly #book: DeviceBook;
  readonly #meters = new Meters();
  readonly #mirror: StateMirror;
  readonly #commands: AwaitedCommands;
  readonly #effectApplier: EffectApplier;
  readonly #persistence: BridgePersistence;
  readonly #problems = new ProblemList();
  /** Which device a retained topic spoke of last. */
  readonly #topics = new Map<string, BoundDevice>();
  readonly #later = new Set<Timer>();
  #timers: Timer[] = [];
  #askTimer: Timer | null = null;
  /** Whose devices are to be asked then. */
  readonly #toAsk = new Set<CredentialContext>();
  /** What is being handled, for a problem's line in the list. */
  #present: { readonly topic: string; readonly payload?: Uint8Array } = { topic: "" };
  #figures = { messages: 0, understood: 0, commands: 0 };

  constructor(options: BridgeOptions) {
    const { families, devices, clock, commandResults, memory, logger } = options;
    this.#options = options;
    const names = families.map(({ name }) => name);
    this.#book = new DeviceBook({ families: names, clock });
    this.#contexts = new CredentialContexts({
      ...options,
      book: this.#book,
      failed: (family, error) => this.#familyFailed(family, error),
      problem: (family, reason) => this.#problem(family, reason),
    });
    const stateOf = (deviceId: string): JsonObject | null => devices.find(deviceId)?.state ?? null;
    this.#mirror = new StateMirror({
      stateOf,
      write: (deviceId, patch) => void devices.measured(deviceId, patch).catch(() => {}),
      clock,
    });
    const publish = ({ deviceId, publish: messages }: TranslatedCommand, ttlMs: number): void => {
      const entry = this.#book.ofDevice(deviceId);
      if (entry !== null) for (const message of messages) this.#send(clientOf(entry), message, ttlMs);
    };
    this.#commands = new AwaitedCommands({ stateOf, publish, commandResults, clock });
    this.#effectApplier = new EffectApplier({
      book: this.#book,
      devices,
      meters: this.#meters,
      mirror: this.#mirror,
      commands: this.#commands,
      clock,
      maxDevices: options.maxDevices,
      isFree: (entry, client) => this.#contexts.isFree(entry, client),
      grant: (device) => this.#contexts.grant(device),
      release: (family, key) => this.#contexts.rights.release(family, key),
      moved: (entry) => this.#contexts.forget(entry),
      problem: (family, reason) => this.#problem(family, reason),
    });
    this.#persistence = new BridgePersistence({ book: this.#book, meters: this.#meters, memory, clock, logger });
  }

  /** Messages that came, messages that some family understood, commands sent, devices, problems; since start. */
  get figures(): {
    readonly messages: number;
    readonly understood: number;
    readonly commands: number;
    readonly devices: number;
    readonly problems: number;
  } {
    return { ...this.#figures, devices: this.#book.bound, problems: this.#problems.total };
  }

  /** Reads what the last run knew and gives it to the families. Before the broker opens its doors. */
  async start(): Promise<void> {
    const { memory } = this.#options;
    const known = memory.devices();
    this.#book.load(known);
    this.#meters.load(memory.meters());
    this.#contexts.start(this.#options.credentials());
  }

  /** A credential is accepted, or for other families than before: from now on its devices are heard. */
  admit(credential: Credential): void {
    const context = this.#contexts.admit(credential);
    if (this.#timers.length > 0) this.#takeUp(context);
  }

  /** See {@link DeviceBook.expect}. */
  readonly expect: DeviceBook["expect"] = (device) => this.#book.expect(device);

  /** See {@link CredentialContexts.dismiss}. */
  readonly dismiss: CredentialContexts["dismiss"] = (client, isForgotten) =>
    this.#contexts.dismiss(client, isForgotten);

  /**
   * The broker runs: takes in what is retained and asks everybody how they are. Called again when the hub gets its
   * household.
   */
  async join(): Promise<void> {
    const { broker, clock } = this.#options;
    if (!this.#options.devices.ready() || this.#timers.length > 0) return;
    this.#timers = [
      clock.every(TICK_MS, () => this.#tick()),
      clock.every(SAVE_MS, () => void this.#persistence.save()),
      everyQuietWrite(clock, () => void this.#persistence.save("due")),
      clock.after(ASK_AGAIN_MS, () => {
        broker.publish(BIRTH, MESSAGE_TTL_MS, null);
        this.#ask();
      }),
    ];
    broker.publish(BIRTH, MESSAGE_TTL_MS, null);
    for (const context of this.#contexts.all()) this.#takeUp(context);
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
    await this.#persistence.save("always");
  }

  /**
   * A message of a client, or of another broker. Resolves when what it says is on disk.
   * @throws Problem `storage_full`, `unavailable`.
   */
  async message({ topic, payload, durable, speaker, retained = false }: ArrivingMessage): Promise<void> {
    const context = this.#contexts.find(speaker?.client ?? OUTSIDE);
    if (context === undefined || !this.#options.devices.ready()) return;
    this.#figures.messages += 1;
    await this.#route(
      context,
      { topic, payload, retained },
      { durable, ...(speaker === null ? {} : { mqttClientId: speaker.mqttClientId }) },
    );
  }

  /** An accepted client may not publish to a topic: where it announces what another one has, the owner is told. */
  refused(client: number, topic: string): void {
    const told = this.#contexts.takeover(client, topic);
    if (told !== null) this.#problems.add({ ...told, topic, at: this.#options.clock.now() });
  }

  /**
   * What an accepted client says on a topic that it does not have, or not yet. Answers whether it was kept: its
   * announcement may give it a meaning.
   */
  readonly early: CredentialContexts["keepEarly"] = (...what) => this.#contexts.keepEarly(...what);

  /** What each credential may do. */
  get rights(): Pick<TopicRights, "mayAnnounce" | "mayPublish" | "mayHear" | "maySubscribe" | "isHeld" | "holds"> {
    return this.#contexts.rights;
  }

  /** A client has connected: soon its devices are asked. Without one: everybody's. */
  attached(client?: number): void {
    for (const context of this.#contexts.all())
      if (client === undefined || context.client === client) this.#toAsk.add(context);
    this.#askTimer ??= this.#options.clock.after(ASK_AFTER_MS, () => {
      this.#askTimer = null;
      this.#ask([...this.#toAsk].filter((context) => this.#contexts.find(context.client) === context));
      this.#toAsk.clear();
    });
  }

  /** A client's connection has ended: devices that never speak of their presence went with it. */
  detached(speaker: Speaker): void {
    for (const entry of this.#book.all()) {
      const isIts = entry.speaker?.client === speaker.client && entry.speaker.mqttClientId === speaker.mqttClientId;
      if (!isIts || entry.online !== null || entry.bindingState !== "bound" || entry.deviceId === null) continue;
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
    const context = entry === null ? undefined : this.#contexts.of(entry);
    const member = entry === null ? null : (context?.members.find(entry.family) ?? null);
    if (entry === null || context === undefined || member === null)
      throw new Problem("unsupported_command", "Nobody speaks for this device now.");
    const command = JSON.parse(payload) as JsonObject; // an object: checked by whoever accepted it
    const otherwise: Translation = { unsupported: "its family could not translate the command" };
    const translation = context.members.call(member, otherwise, () => member.adapter.command(entry.key, command));
    if ("unsupported" in translation)
      throw new Problem("unsupported_command", `The device cannot do that: ${translation.unsupported}.`);
    const foreign = translation.publish.find(({ topic }) => !this.#contexts.maySend(context.client, topic));
    if (foreign !== undefined)
      throw new Problem(
        "unsupported_command",
        `The device named a command topic that is not its own: ${foreign.topic.slice(0, 200)}`,
      );
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
    const entry =
      this.#book.ofDevice(deviceId) ?? this.#book.all().find((other) => other.deviceId === deviceId) ?? null;
    this.#meters.forget(deviceId);
    this.#mirror.forget(deviceId);
    this.#commands.forget(deviceId);
    if (entry === null) return;
    this.#contexts.forget(entry);
    this.#book.setBindingState(entry, "removed");
  }

  /** Whether messages of a topic may be larger than others. */
  isLarge(topic: string): boolean {
    return this.#contexts.outside.members.isLarge(topic);
  }

  /** The families with the topics they listen to. */
  families(): readonly {
    readonly family: Family;
    readonly prefix: string | null;
    readonly topics: readonly string[];
  }[] {
    return this.#contexts.outside.members.all.map(({ family, prefix, filters }) => ({
      family,
      prefix,
      topics: filters,
    }));
  }

  /** Every device that a family knows, with the hub's own where it has one. */
  entries(): readonly BoundDevice[] {
    return this.#book.all();
  }

  /** Families that also see a device. */
  readonly alsoSeenBy: DeviceBook["alsoSeenBy"] = (entry) => this.#book.alsoSeenBy(entry);

  /** Whether some of a device's energy is an estimate. */
  readonly isEstimated: Meters["isEstimated"] = (deviceId) => this.#meters.isEstimated(deviceId);

  /** The problems, to be listed and emptied. */
  get problems(): Pick<ProblemList, "list" | "clear"> {
    return this.#problems;
  }

  /** Whether a retained topic belongs to a device that is there. */
  isKnownTopic(topic: string): boolean {
    return ["bound", "shadowed"].includes(this.#topics.get(topic)?.bindingState ?? "");
  }

  async #route(
    context: CredentialContext,
    message: { topic: string; payload: Uint8Array; retained: boolean },
    how: { readonly durable: boolean; readonly mqttClientId?: string | null },
  ): Promise<void> {
    const at = this.#options.clock.now();
    const work: Promise<void>[] = [];
    let understood = false;
    for (const member of context.members.listening(message.topic)) {
      const effectContext: EffectContext = {
        family: member.family.name,
        live: !message.retained,
        client: context.client,
        at,
        ...how,
      };
      understood = this.#hear(member, { ...message, at }, { context, effectContext, work, depth: 0 }) || understood;
    }
    if (understood) this.#figures.understood += 1;
    await Promise.all(work);
  }

  /** Gives one message to one family. Answers whether it meant something. */
  #hear(member: Member, message: BridgeMessage, course: Course): boolean {
    const before = this.#present;
    this.#present = message;
    const effects = course.context.members.call<readonly Effect[]>(member, [], () => member.adapter.message(message));
    const filters = this.#applyEffects(member, effects, course);
    this.#present = before;
    this.#recall(member, filters, course);
    return effects.some((effect) => effect.do !== "problem");
  }

  /** Carries effects out; answers the filters that are to be recalled. */
  #applyEffects(member: Member, effects: readonly Effect[], { context, effectContext, work }: Course): string[] {
    const filters: string[] = [];
    const ofDevices: Parameters<EffectApplier["apply"]>[0][number][] = [];
    for (const effect of effects) {
      if (effect.do === "problem")
        this.#problems.add({ ...effect, family: member.family.name, at: effectContext.at, ...this.#example() });
      else if (effect.do === "recall") filters.push(...effect.filters);
      else if (effect.do === "publish") this.#publish(context.client, effect);
      else ofDevices.push(effect);
    }
    const { done, entries } = this.#effectApplier.apply(ofDevices, effectContext);
    work.push(done);
    const { topic } = this.#present;
    for (const entry of entries) if (topic !== "") this.#topics.set(topic, entry);
    if (this.#topics.size > MOST_TOPICS)
      for (const old of [...this.#topics.keys()].slice(0, MOST_TOPICS / 5)) this.#topics.delete(old);
    return filters;
  }

  /** Gives a family the retained messages that it asked for. What these make it ask for comes too, some levels deep. */
  #recall(member: Member, filters: readonly string[], course: Course): void {
    if (course.depth >= MOST_RECALLS) return;
    const effectContext = { ...course.effectContext, live: false, durable: false };
    for (const filter of filters) {
      for (const { topic, payload } of this.#contexts.retained(course.context, filter)) {
        this.#hear(
          member,
          { topic, payload, retained: true, at: effectContext.at },
          { ...course, effectContext, depth: course.depth + 1 },
        );
      }
    }
  }

  #publish(client: number, { message, afterMs = 0 }: Extract<Effect, { readonly do: "publish" }>): void {
    const { clock } = this.#options;
    if (afterMs <= 0) this.#send(client, message, MESSAGE_TTL_MS);
    else if (this.#later.size < MOST_LATER) {
      const timer: Timer = clock.after(Math.min(afterMs, LATEST_MS), () => {
        this.#later.delete(timer);
        this.#send(client, message, MESSAGE_TTL_MS);
      });
      this.#later.add(timer);
    }
  }

  /** Sends a message to the connections of one credential, on a topic that is its. */
  #send(client: number, message: Outgoing, ttlMs: number): void {
    if (this.#contexts.maySend(client, message.topic)) this.#options.broker.publish(message, ttlMs, client);
  }

  /** Hears what is retained and asks how things are. */
  #takeUp(context: CredentialContext): void {
    for (const { topic, payload } of this.#options.broker.retained("#", context.client))
      this.#settled(this.#route(context, { topic, payload, retained: true }, { durable: false }));
    this.#ask([context]);
  }

  #ask(contexts: Iterable<CredentialContext> = this.#contexts.all()): void {
    const now = this.#options.clock.now();
    for (const context of contexts)
      for (const member of context.members.all) this.#byItself(context, member, () => member.adapter.connected(now));
  }

  #tick(): void {
    const now = this.#options.clock.now();
    for (const context of this.#contexts.all()) {
      for (const member of context.members.all)
        if (member.adapter.passed !== undefined)
          this.#byItself(context, member, () => member.adapter.passed?.(now) ?? []);
    }
    this.#mirror.passed();
    this.#commands.passed();
  }

  /** What a family does without a message. */
  #byItself(context: CredentialContext, member: Member, act: () => readonly Effect[]): void {
    this.#present = { topic: "" };
    const effects = context.members.call<readonly Effect[]>(member, [], act);
    if (effects.length === 0) return;
    const effectContext: EffectContext = {
      family: member.family.name,
      live: true,
      durable: false,
      client: context.client,
      at: this.#options.clock.now(),
    };
    const course: Course = { context, effectContext, work: [], depth: 0 };
    this.#recall(member, this.#applyEffects(member, effects, course), course);
    this.#settled(Promise.all(course.work));
  }

  #familyFailed(family: string, error: unknown): void {
    this.#options.logger.error({ family, topic: this.#present.topic, err: error }, "a firmware family failed");
    this.#problem(family, "the hub could not handle this message; its log has more");
  }

  #problem(family: string, reason: string): void {
    this.#problems.add({
      family,
      topic: this.#present.topic,
      reason,
      at: this.#options.clock.now(),
      ...this.#example(),
    });
  }

  #example(): { payload?: Uint8Array } {
    return this.#present.payload === undefined ? {} : { payload: this.#present.payload };
  }

  /** Nobody waits for this; a full disk is said elsewhere. */
  #settled(work: Promise<unknown>): void {
    work.catch((error: unknown) =>
      this.#options.logger.warn({ err: error }, "something a device of another make said could not be stored"),
    );
  }
}
