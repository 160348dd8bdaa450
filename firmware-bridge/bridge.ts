/**
 * The bridge between firmware of other makes and the hub: messages go to the families that understand them, their
 * effects to the hub's devices, the hub's commands back in the firmware's words.
 *
 * In: messages that are not native, commands for bridged devices. Out: devices, states, samples, events, plates by way
 * of `BridgeDevices`; messages by way of `BridgeBroker` (ports.ts). It maps each family's devices to the hub's devices.
 * Must never know: a topic or payload of any firmware (the families' folders do), SQL, HTTP, sockets.
 */

import type { Timer } from "../src/core/kernel/clock.ts";
import type { JsonObject } from "../src/core/kernel/json-object.ts";
import { Problem } from "../src/core/kernel/problem.ts";
import { AwaitedCommands, type TranslatedCommand } from "./awaited-commands.ts";
import type { ArrivingMessage, BridgeOptions } from "./bridge-options.ts";
import { BridgePersistence } from "./bridge-persistence.ts";
import type { Credential, CredentialContext } from "./credential-context.ts";
import { CredentialContexts, clientOf } from "./credential-contexts.ts";
import { type BoundDevice, DeviceBook } from "./device-book.ts";
import { EffectApplier } from "./effect-applier.ts";
import type { Family, Translation } from "./family.ts";
import { FamilyProblems } from "./family-problems.ts";
import { MESSAGE_TTL_MS, MessageDispatcher } from "./message-dispatcher.ts";
import { Meters } from "./meters.ts";
import { OUTSIDE, type Speaker } from "./ports.ts";
import type { ProblemList } from "./problem-list.ts";
import { StateMirror } from "./state-mirror.ts";
import type { TopicRights } from "./topic-rights.ts";

const TICK_MS = 1_000;
const SAVE_MS = 2_000;
/** Clients that reconnect together are asked together. */
const ASK_AFTER_MS = 3_000;
const ASK_AGAIN_MS = 60_000;
/** Home Assistant's birth topic: much firmware announces itself again when somebody is reported to be home there. */
const BIRTH = { topic: "homeassistant/status", payload: "online" } as const;

/** The bridge. */
export class Bridge {
  readonly name = "bridge";
  readonly #options: BridgeOptions;
  readonly #contexts: CredentialContexts;
  readonly #problems: FamilyProblems;
  readonly #book: DeviceBook;
  readonly #meters = new Meters();
  readonly #mirror: StateMirror;
  readonly #commands: AwaitedCommands;
  readonly #dispatcher: MessageDispatcher;
  readonly #persistence: BridgePersistence;
  #timers: Timer[] = [];
  #askTimer: Timer | null = null;
  /** Whose devices are to be asked then. */
  readonly #toAsk = new Set<CredentialContext>();
  #figures = { messages: 0, commands: 0 };

  constructor(options: BridgeOptions) {
    const { families, broker, devices, clock, commandResults, memory, logger } = options;
    this.#options = options;
    const names = families.map(({ name }) => name);
    this.#book = new DeviceBook({ families: names, clock });
    this.#problems = new FamilyProblems(clock, logger);
    this.#contexts = new CredentialContexts({
      ...options,
      book: this.#book,
      problems: this.#problems,
    });
    const stateOf = (deviceId: string): JsonObject | null => devices.find(deviceId)?.state ?? null;
    this.#mirror = new StateMirror({
      stateOf,
      write: (deviceId, patch) => void devices.measured(deviceId, patch).catch(() => {}),
      clock,
    });
    const publish = ({ deviceId, publish: messages }: TranslatedCommand, ttlMs: number): void => {
      const entry = this.#book.ofDevice(deviceId);
      if (entry !== null) for (const message of messages) this.#dispatcher.send(clientOf(entry), message, ttlMs);
    };
    this.#commands = new AwaitedCommands({ stateOf, publish, commandResults, clock });
    const effectApplier = new EffectApplier({
      book: this.#book,
      devices,
      meters: this.#meters,
      mirror: this.#mirror,
      commands: this.#commands,
      clock,
      maxDevices: options.maxDevices,
      contexts: this.#contexts,
      problems: this.#problems,
    });
    this.#dispatcher = new MessageDispatcher({
      contexts: this.#contexts,
      effectApplier,
      problems: this.#problems,
      broker,
      clock,
      logger,
    });
    this.#persistence = new BridgePersistence({ book: this.#book, meters: this.#meters, memory, clock, logger });
  }

  /** Messages received, messages that some family understood, commands sent, devices, problems; since the start. */
  get figures(): {
    readonly messages: number;
    readonly understood: number;
    readonly commands: number;
    readonly devices: number;
    readonly problems: number;
  } {
    const { understood } = this.#dispatcher;
    return { ...this.#figures, understood, devices: this.#book.bound, problems: this.problems.total };
  }

  /** Reads the last run's state and passes it to the families. Call before the broker accepts connections. */
  async start(): Promise<void> {
    const { memory } = this.#options;
    const known = memory.devices();
    this.#book.load(known);
    this.#meters.load(memory.meters());
    this.#contexts.start(this.#options.credentials());
  }

  /** Admits a credential, or changes its families. Messages from its devices are processed from now on. */
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
   * The broker runs: takes retained messages and asks every device for its state. Called again when the hub gets its
   * household.
   */
  async join(): Promise<void> {
    const { broker, clock, quietWrites } = this.#options;
    if (!this.#options.devices.ready() || this.#timers.length > 0) return;
    this.#timers = [
      clock.every(TICK_MS, () => this.#tick()),
      clock.every(SAVE_MS, () => void this.#persistence.save()),
      quietWrites.add(() => void this.#persistence.save("due")),
      clock.after(ASK_AGAIN_MS, () => {
        broker.publish(BIRTH, MESSAGE_TTL_MS, null);
        this.#ask();
      }),
    ];
    broker.publish(BIRTH, MESSAGE_TTL_MS, null);
    for (const context of this.#contexts.all()) this.#takeUp(context);
  }

  /** Ends the bridge's own activity. Call before the broker stops. */
  async leave(): Promise<void> {
    for (const timer of [...this.#timers, ...(this.#askTimer ? [this.#askTimer] : [])]) timer.stop();
    this.#dispatcher.stop();
    this.#timers = [];
    this.#askTimer = null;
  }

  /** Writes what was learned. */
  async stop(): Promise<void> {
    await this.leave();
    await this.#persistence.save("always");
  }

  /**
   * Takes a message from a client or from another broker. Resolves once its content is on disk.
   * @throws Problem `storage_full`, `unavailable`
   */
  async message({ topic, payload, durable, speaker, retained = false }: ArrivingMessage): Promise<void> {
    const context = this.#contexts.find(speaker?.client ?? OUTSIDE);
    if (context === undefined || !this.#options.devices.ready()) return;
    this.#figures.messages += 1;
    await this.#dispatcher.route(
      context,
      { topic, payload, retained },
      { durable, ...(speaker === null ? {} : { mqttClientId: speaker.mqttClientId }) },
    );
  }

  /** An accepted client may not publish to a topic. If it announces what another one holds, the owner is notified. */
  refused(client: number, topic: string): void {
    const takeover = this.#contexts.takeover(client, topic);
    if (takeover !== null) this.problems.add({ ...takeover, topic, at: this.#options.clock.now() });
  }

  /**
   * Takes what an accepted client publishes on a topic that it does not hold, or not yet. Returns whether it was kept:
   * its announcement may give it a meaning.
   */
  readonly early: CredentialContexts["keepEarly"] = (...what) => this.#contexts.keepEarly(...what);

  /** What each credential may do. */
  get rights(): Pick<TopicRights, "mayAnnounce" | "mayPublish" | "mayHear" | "maySubscribe" | "isHeld" | "holds"> {
    return this.#contexts.rights;
  }

  /** A client has connected: its devices are asked soon. Without one: those of all clients. */
  attached(client?: number): void {
    for (const context of this.#contexts.all())
      if (client === undefined || context.client === client) this.#toAsk.add(context);
    this.#askTimer ??= this.#options.clock.after(ASK_AFTER_MS, () => {
      this.#askTimer = null;
      this.#ask([...this.#toAsk].filter((context) => this.#contexts.find(context.client) === context));
      this.#toAsk.clear();
    });
  }

  /** A client's connection has ended: so have its devices that never report their presence. */
  detached(speaker: Speaker): void {
    for (const entry of this.#book.all()) {
      const isIts = entry.speaker?.client === speaker.client && entry.speaker.mqttClientId === speaker.mqttClientId;
      if (!isIts || entry.online !== null || entry.bindingState !== "bound" || entry.deviceId === null) continue;
      this.#dispatcher.settled(this.#options.devices.presence(entry.deviceId, false));
    }
  }

  /** Whether a device of the hub is reached through the bridge. */
  has(deviceId: string): boolean {
    return this.#book.ofDevice(deviceId) !== null;
  }

  /**
   * Sends a command in the hub's words to a device: now, or when it is back within `ttlMs`.
   * @throws Problem `unsupported_command`
   */
  deliver(deviceId: string, payload: string, ttlMs: number, from = ""): "sent" | "queued" {
    const command = JSON.parse(payload) as JsonObject; // an object: checked when the command was accepted
    const known = this.#translated(deviceId, command);
    if (known === null) throw new Problem("unsupported_command", "Nobody speaks for this device now.");
    const { entry, context, translation } = known;
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

  /** What a command does beside using its device: see {@link Translation}. */
  reachOf(
    deviceId: string,
    command: JsonObject,
  ): { readonly isUpkeep: boolean; readonly others: readonly string[]; readonly unjudged: readonly string[] } {
    const known = this.#translated(deviceId, command);
    if (known === null || "unsupported" in known.translation) return { isUpkeep: false, others: [], unjudged: [] };
    const { entry, translation } = known;
    const others = (translation.others ?? []).flatMap((key) => this.#book.find(entry.family, key)?.deviceId ?? []);
    // one credential may announce one relay twice, by the topics of the other: the same words reach both
    const takers = translation.publish.flatMap(({ topic }) => this.#contexts.rights.alsoTakenBy(entry, topic));
    const heardBy = takers.flatMap(({ family, key }) => {
      const taker = this.#book.find(family, key);
      return taker?.bindingState === "bound" && taker.deviceId !== null ? [taker.deviceId] : [];
    });
    const unjudged = [...new Set(heardBy)].filter((id) => id !== deviceId && !others.includes(id));
    return { isUpkeep: translation.isUpkeep === true || takers.some(({ isGateway }) => isGateway), others, unjudged };
  }

  /** What its family makes of a command to a device; null: nobody speaks for it. */
  #translated(deviceId: string, command: JsonObject) {
    const entry = this.#book.ofDevice(deviceId);
    const context = entry === null ? undefined : this.#contexts.of(entry);
    const member = entry === null ? null : (context?.members.find(entry.family) ?? null);
    if (entry === null || context === undefined || member === null) return null;
    const otherwise: Translation = { unsupported: "its family could not translate the command" };
    const translation = context.members.call(member, otherwise, () => member.adapter.command(entry.key, command));
    return { entry, context, translation };
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

  /** See {@link MessageDispatcher.isKnownTopic}. */
  isKnownTopic(topic: string): boolean {
    return this.#dispatcher.isKnownTopic(topic);
  }

  /** Every device that a family knows, with the hub's own device if it has one. */
  entries(): readonly BoundDevice[] {
    return this.#book.all();
  }

  /** Families that also see a device. */
  readonly alsoSeenBy: DeviceBook["alsoSeenBy"] = (entry) => this.#book.alsoSeenBy(entry);

  /** Whether some of a device's energy is an estimate. */
  readonly isEstimated: Meters["isEstimated"] = (deviceId) => this.#meters.isEstimated(deviceId);

  /** The problems, to be listed and emptied. */
  get problems(): ProblemList {
    return this.#problems.list;
  }

  /** Takes retained messages and asks for states. */
  #takeUp(context: CredentialContext): void {
    for (const { topic, payload } of this.#options.broker.retained("#", context.client))
      this.#dispatcher.settled(this.#dispatcher.route(context, { topic, payload, retained: true }, { durable: false }));
    this.#ask([context]);
  }

  #ask(contexts: Iterable<CredentialContext> = this.#contexts.all()): void {
    const now = this.#options.clock.now();
    for (const context of contexts)
      for (const member of context.members.all)
        this.#dispatcher.byItself(context, member, () => member.adapter.connected(now));
  }

  #tick(): void {
    const now = this.#options.clock.now();
    for (const context of this.#contexts.all()) {
      for (const member of context.members.all)
        if (member.adapter.passed !== undefined)
          this.#dispatcher.byItself(context, member, () => member.adapter.passed?.(now) ?? []);
    }
    this.#mirror.passed();
    this.#commands.passed();
  }
}
