/**
 * Matter devices that joined the hub. In: nodes and reports of the Matter process, commands of the hub, removals. Out:
 * devices, states, samples and events by way of {@link BridgeDevices}, as for devices of other makes; orders to the
 * process. It maps the units of nodes to devices. A node can only report for its own devices: the hub assigns its name.
 * Must never know: a Matter library, SQL, HTTP.
 */
import type { Static } from "typebox";
import { AwaitedCommands, type TranslatedCommand } from "../../../../firmware-bridge/awaited-commands.ts";
import { BridgePersistence } from "../../../../firmware-bridge/bridge-persistence.ts";
import { type BoundDevice, DeviceBook } from "../../../../firmware-bridge/device-book.ts";
import { EffectApplier, type EffectContext } from "../../../../firmware-bridge/effect-applier.ts";
import type { Effect } from "../../../../firmware-bridge/family.ts";
import { Meters } from "../../../../firmware-bridge/meters.ts";
import { type BridgeDevices, type CommandResultSink, OUTSIDE } from "../../../../firmware-bridge/ports.ts";
import { StateMirror } from "../../../../firmware-bridge/state-mirror.ts";
import type { Clock, Timer } from "../../../core/kernel/clock.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import type { Logger } from "../../../core/kernel/logger.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { QuietWrites } from "../../../core/kernel/quiet-writes.ts";
import type { MatterHost } from "../host.ts";
import type { CONTROLLER_TO_HUB } from "./calls.ts";
import { type Step, translate } from "./commands.ts";
import { unitDevice, unitKey } from "./device.ts";
import { MATTER, type MatterMemory, partsOf } from "./memory.ts";
import { type EndpointView, type NodeView, type Unit, unitsOf } from "./node-view.ts";
import { unitState } from "./state.ts";
import { Told } from "./told.ts";

type Said<Name extends keyof typeof CONTROLLER_TO_HUB> = Static<(typeof CONTROLLER_TO_HUB)[Name]["input"]>;

interface KnownUnit {
  readonly unit: Unit;
  readonly key: string;
}

interface KnownNode {
  readonly name: string;
  readonly endpoints: Map<number, { -readonly [Key in keyof EndpointView]: EndpointView[Key] }>;
  units: readonly KnownUnit[];
}

const TICK_MS = 1_000;
const SAVE_MS = 2_000;
const COMMAND_TIMEOUT_MS = 20_000;
const LEAVE_TIMEOUT_MS = 30_000;

/** See the head of the file. */
export class MatterDevices {
  readonly name = "matter devices";
  readonly #options: ConstructorParameters<typeof MatterDevices>[0];
  readonly #book: DeviceBook;
  readonly #meters = new Meters();
  readonly #mirror: StateMirror;
  readonly #commands: AwaitedCommands<Step>;
  readonly #applier: EffectApplier;
  readonly #persistence: BridgePersistence;
  readonly #nodes = new Map<string, KnownNode>();
  readonly #reported = new Map<string, Told>();
  readonly #online = new Map<string, boolean>();
  #timers: Timer[] = [];
  #isUp = false;

  constructor(options: {
    readonly devices: BridgeDevices;
    readonly memory: MatterMemory;
    readonly process: Pick<MatterHost, "call">;
    readonly commandResults: CommandResultSink;
    readonly maxDevices: () => number;
    readonly clock: Clock;
    readonly quietWrites: Pick<QuietWrites, "add">;
    readonly logger: Logger;
  }) {
    const { devices, memory, commandResults, clock, logger, maxDevices } = options;
    this.#options = options;
    this.#book = new DeviceBook({ families: [MATTER], clock });
    const stateOf = (deviceId: string): JsonObject | null => devices.find(deviceId)?.state ?? null;
    this.#mirror = new StateMirror({
      stateOf,
      write: (deviceId, patch) => void devices.measured(deviceId, patch).catch(() => {}),
      clock,
    });
    this.#commands = new AwaitedCommands({
      stateOf,
      publish: (command) => void this.#order(command),
      commandResults,
      clock,
    });
    this.#applier = new EffectApplier({
      book: this.#book,
      devices,
      meters: this.#meters,
      mirror: this.#mirror,
      commands: this.#commands,
      clock,
      maxDevices,
      contexts: { isFree: () => false, grant: () => null, rights: { release: () => {} }, forget: () => {} },
      problems: { problem: (_, reason) => logger.warn({ reason }, "a Matter device's update was rejected") },
    });
    this.#persistence = new BridgePersistence({ book: this.#book, meters: this.#meters, memory, clock, logger });
  }

  /** Reads what the last run knew. */
  async start(): Promise<void> {
    const { memory, clock, quietWrites } = this.#options;
    this.#book.load(memory.devices());
    this.#meters.load(memory.meters());
    this.#timers = [
      clock.every(TICK_MS, () => {
        this.#mirror.passed();
        this.#commands.passed();
      }),
      clock.every(SAVE_MS, () => void this.#persistence.save()),
      quietWrites.add(() => void this.#persistence.save("due")),
    ];
  }

  /** Writes what was learned. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) timer.stop();
    await this.#persistence.save("always");
  }

  /** The process runs: has it connect to the nodes in the hub's fabric, and remove those whose devices were removed. */
  async up(): Promise<void> {
    this.#isUp = true;
    const nodes = new Set(this.#book.all().map(({ key }) => partsOf(key).node));
    const removed = [...nodes].filter((node) => this.#isRemoved(node));
    await this.#options.process.call("controller.resume", { removed: removed.slice(0, 1_000) });
    for (const node of removed) this.#forget(node);
  }

  /** Matter was switched off: none of its devices can be reached. */
  away(): void {
    this.#isUp = false;
    for (const entry of this.#bound())
      this.#settled(this.#apply([{ do: "availability", key: entry.key, online: false }]));
  }

  /** Whether a device of the hub is a Matter device. */
  has(deviceId: string): boolean {
    return this.#book.ofDevice(deviceId) !== null;
  }

  /** All devices of the hub that are connected by Matter. */
  ids(): string[] {
    return this.#bound().flatMap(({ deviceId }) => (deviceId !== null ? [deviceId] : []));
  }

  /** The hub's devices that a node became. */
  devicesOf(node: string): string[] {
    return this.#bound().flatMap(({ key, deviceId }) =>
      partsOf(key).node === node && deviceId !== null ? [deviceId] : [],
    );
  }

  /**
   * Sends a command to a device: now, or when it is back within `ttlMs`.
   * @throws Problem `unsupported_command`
   */
  deliver(deviceId: string, payload: string, ttlMs: number, from = ""): "sent" | "queued" {
    const entry = this.#book.ofDevice(deviceId);
    if (entry === null) throw new Problem("unsupported_command", { code: "refusal.matter.noSpeaker" });
    const unit = this.#unit(entry.key);
    if (unit === null && !this.#isAway(entry))
      throw new Problem("unsupported_command", { code: "refusal.matter.notHeard" });
    // an object: checked when the command was accepted
    const translation = unit === null ? null : translate(unit, JSON.parse(payload) as JsonObject);
    if (translation !== null && "unsupported" in translation)
      throw new Problem("unsupported_command", `The device cannot do that: ${translation.unsupported}.`);
    const translated = {
      deviceId,
      payload,
      from,
      publish: translation?.steps ?? [],
      expects: translation?.expects ?? null,
    };
    if (this.#isAway(entry)) {
      this.#commands.hold(translated, ttlMs);
      return "queued";
    }
    this.#commands.send(translated, ttlMs);
    return "sent";
  }

  /** The owner removed a device. When it was the last one of its node, the node leaves the hub's fabric. */
  removed(deviceId: string): void {
    const entry = this.#book.ofDevice(deviceId);
    if (entry === null) {
      for (const other of this.#book.all())
        if (other.deviceId === deviceId && other.bindingState === "gone") this.#book.drop(other);
      return;
    }
    this.#meters.forget(deviceId);
    this.#mirror.forget(deviceId);
    this.#commands.forget(deviceId);
    this.#reported.delete(entry.key);
    this.#book.setBindingState(entry, "removed");
    const { node } = partsOf(entry.key);
    if (!this.#isRemoved(node)) return;
    // If the process cannot be informed now, it learns from the rows when it runs again.
    const { process, logger } = this.#options;
    const left = process.call("controller.leave", { node }, LEAVE_TIMEOUT_MS).then(({ reached }) => {
      if (!reached)
        logger.info(
          { node },
          "an unreachable Matter device was removed; it keeps the hub's credentials until it is reset",
        );
      this.#forget(node);
    });
    left.catch(() => {});
  }

  /** Takes a complete node. Resolves when that is on disk. */
  async node({ node: name, endpoints }: Said<"controller.node">): Promise<void> {
    const known: KnownNode = {
      name,
      endpoints: new Map(endpoints.map((endpoint) => [endpoint.number, endpoint])),
      units: [],
    };
    this.#nodes.set(name, known);
    this.#divide(known);
    const view = viewOf(known);
    const removed = new Set(
      this.#book.all().flatMap(({ key, bindingState }) => (bindingState === "removed" ? [key] : [])),
    );
    const units = known.units.filter(({ key }) => !removed.has(key));
    const keys = new Set(units.map(({ key }) => key));
    const effects: Effect[] = this.#bound().flatMap(({ key }): Effect[] =>
      partsOf(key).node === name && !keys.has(key) ? [{ do: "gone", key }] : [],
    );
    for (const { key, unit } of units) {
      this.#reported.set(key, new Told());
      effects.push(
        { do: "device", device: unitDevice(view, unit, known.units.length === 1) },
        ...this.#news(key, unit),
        this.#reach(key, unit),
      );
    }
    await this.#apply(effects);
    await this.#persistence.save(); // not a moment later: a device that is created twice has two histories
  }

  /** Takes changed values of a node, and button presses. Resolves when that is on disk. */
  async report({ node: name, values, pressed }: Said<"controller.report">): Promise<void> {
    const known = this.#nodes.get(name);
    if (known === undefined) return;
    const touched = new Set<number>();
    let isReach = false;
    for (const { endpoint: number, name: attribute, value } of values) {
      const endpoint = known.endpoints.get(number);
      if (endpoint === undefined) continue;
      endpoint.values = { ...endpoint.values, [attribute]: value };
      touched.add(number);
      isReach ||= attribute === "reachable";
    }
    this.#divide(known);
    const effects: Effect[] = [];
    for (const { key, unit } of known.units) {
      if (![unit.about, ...unit.endpoints].some(({ number }) => touched.has(number))) continue;
      effects.push(...this.#news(key, unit), ...(isReach ? [this.#reach(key, unit)] : []));
    }
    for (const { endpoint, how } of pressed) {
      const own = known.units.find(({ unit }) => unit.endpoints.some(({ number }) => number === endpoint));
      if (own !== undefined)
        effects.push({
          do: "event",
          key: own.key,
          kind: `button.${how}`,
          title: "Button",
          body: `Button ${endpoint}: ${how}`,
        });
    }
    await this.#apply(effects);
  }

  /** Notes whether a node can be reached. */
  async reach({ node: name, online }: Said<"controller.reach">): Promise<void> {
    const entries = this.#bound().filter(({ key }) => partsOf(key).node === name);
    this.#online.set(name, online);
    await this.#apply(
      entries.map(({ key }) => {
        const unit = this.#unit(key);
        return unit === null ? { do: "availability", key, online } : this.#reach(key, unit);
      }),
    );
  }

  /** A node has left the hub's fabric by itself: its owner reset it, or removed the hub from it. */
  async gone({ node: name }: Said<"controller.gone">): Promise<void> {
    this.#nodes.delete(name);
    this.#online.delete(name);
    await this.#apply(
      this.#bound().flatMap(({ key }): Effect[] => (partsOf(key).node === name ? [{ do: "gone", key }] : [])),
    );
  }

  #bound(): BoundDevice[] {
    return this.#book.all().filter(({ bindingState }) => bindingState === "bound");
  }

  /** Whether none of a node's devices is left in the hub, because each was removed. */
  #isRemoved(node: string): boolean {
    const own = this.#book.all().filter(({ key }) => partsOf(key).node === node);
    return (
      own.length > 0 &&
      own.some(({ bindingState }) => bindingState === "removed") &&
      own.every(({ bindingState }) => bindingState !== "bound")
    );
  }

  #isAway(entry: BoundDevice): boolean {
    return !this.#isUp || entry.online === false;
  }

  #unit(key: string): Unit | null {
    return this.#nodes.get(partsOf(key).node)?.units.find((known) => known.key === key)?.unit ?? null;
  }

  #divide(known: KnownNode): void {
    known.units = unitsOf(viewOf(known)).map((unit) => ({ unit, key: unitKey(known.name, unit) }));
  }

  #news(key: string, unit: Unit): Effect[] {
    const reported = this.#reported.get(key) ?? new Told();
    this.#reported.set(key, reported);
    return reported.news(key, unitState(unit));
  }

  #reach(key: string, unit: Unit): Effect {
    const isReachable = unit.about.number === 0 || unit.about.values.reachable !== false;
    return { do: "availability", key, online: isReachable && (this.#online.get(partsOf(key).node) ?? true) };
  }

  async #apply(effects: readonly Effect[]): Promise<void> {
    const { clock } = this.#options;
    const context: EffectContext = { family: MATTER, live: true, durable: false, client: OUTSIDE, at: clock.now() };
    await this.#applier.apply(effects.filter(isOfDevice), context).done;
  }

  /** Hands a command to the process and learns how the node took it. */
  async #order({ deviceId, payload, publish, expects }: TranslatedCommand<Step>): Promise<void> {
    const { process, commandResults } = this.#options;
    const entry = this.#book.ofDevice(deviceId);
    const unit = entry === null ? null : this.#unit(entry.key);
    if (entry === null || unit === null) return this.#commands.refused({ deviceId, payload });
    // it waited for a node that was not known yet
    const translation = publish.length > 0 ? null : translate(unit, JSON.parse(payload) as JsonObject);
    const steps = translation === null ? publish : "steps" in translation ? translation.steps : [];
    if (steps.length === 0) return this.#commands.refused({ deviceId, payload });
    try {
      await process.call(
        "controller.command",
        { node: partsOf(entry.key).node, steps: steps.map((step) => ({ ...step })) },
        COMMAND_TIMEOUT_MS,
      );
    } catch (error) {
      this.#options.logger.info({ deviceId, err: error }, "a Matter device did not carry out a command");
      return this.#commands.refused({ deviceId, payload });
    }
    if (expects === null) commandResults.onDelivered(deviceId, payload);
    else this.#commands.stateReported(deviceId, unitState(this.#unit(entry.key) ?? unit).state); // so already
  }

  #forget(node: string): void {
    for (const entry of this.#book.all()) if (partsOf(entry.key).node === node) this.#book.drop(entry);
    this.#nodes.delete(node);
    this.#online.delete(node);
    this.#settled(this.#options.memory.forget(node));
  }

  /** Not awaited; a full disk is reported elsewhere. */
  #settled(work: Promise<unknown>): void {
    work.catch((error: unknown) =>
      this.#options.logger.warn({ err: error }, "a Matter device's state could not be stored"),
    );
  }
}

function viewOf({ name, endpoints }: KnownNode): NodeView {
  return { node: name, endpoints: [...endpoints.values()] };
}

type DeviceEffect = Parameters<EffectApplier["apply"]>[0][number];

function isOfDevice(effect: Effect): effect is DeviceEffect {
  return effect.do !== "publish" && effect.do !== "recall" && effect.do !== "problem";
}
