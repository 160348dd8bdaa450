import type { Clock } from "../src/core/kernel/clock.ts";
import type { JsonObject } from "../src/core/kernel/json-object.ts";
import { Problem } from "../src/core/kernel/problem.ts";
import type { AwaitedCommands } from "./awaited-commands.ts";
import type { BoundDevice, DeviceBook } from "./device-book.ts";
import type { BridgedDevice, Effect } from "./family.ts";
import { textOf } from "./json-values.ts";
import type { Meters } from "./meters.ts";
import { type BridgeDevices, OUTSIDE } from "./ports.ts";
import { withinRange } from "./ranges.ts";
import { PLATE_FAMILY } from "./rights.ts";
import type { StateMirror } from "./state-mirror.ts";

/** The circumstances of the effects of one call. */
export interface EffectContext {
  readonly family: string;
  /** False for retained messages: they report states, not current events. */
  readonly live: boolean;
  /** The sender waits for the disk. */
  readonly durable: boolean;
  /** The credential whose family this is. Its word counts only for its own devices. */
  readonly client: number;
  /** MQTT client id of the connection; undefined without one: for retained messages, and a family's own effects. */
  readonly mqttClientId?: string | null;
  /** Epoch ms. */
  readonly at: number;
}

/** Knows which credential has which device. */
export interface DeviceHolders {
  /** Whether a credential may take over a device that another one brought: only if that one has given it up. */
  isFree(entry: BoundDevice, client: number): boolean;
  /** Gives a device of a credential its topics; returns why not, null when it has them. */
  grant(device: { readonly family: string; readonly key: string; readonly client: number }): string | null;
  readonly rights: {
    /** A device gives up its topics. */
    release(family: string, key: string): void;
  };
  /** A device passes from one credential to another. */
  forget(entry: BoundDevice): void;
}

/** The effects that concern a device. */
type DeviceEffect = Exclude<Effect, { readonly do: "publish" | "recall" | "problem" }>;

const KEY = /^[a-z0-9_-]{1,48}$/;
const TYPE = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;
const METRIC = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;
const MOST_MEMO = 16 * 1024;
const MOST_WAITING = 64;
const MOST_METRICS = 64;

/**
 * Carries out the families' effects on devices. A refused effect becomes a problem in the list and stops nothing else.
 */
export class EffectApplier {
  readonly #options: ConstructorParameters<typeof EffectApplier>[0];

  constructor(options: {
    readonly book: DeviceBook;
    readonly devices: BridgeDevices;
    readonly meters: Meters;
    readonly mirror: StateMirror;
    readonly commands: Pick<AwaitedCommands, "stateReported" | "arrived">;
    readonly clock: Clock;
    readonly maxDevices: () => number;
    readonly contexts: DeviceHolders;
    readonly problems: { problem(family: string, reason: string): void };
  }) {
    this.#options = options;
  }

  /**
   * Carries out effects in order; resolves when they are on disk. Returns the devices that they mention.
   * @throws Problem `storage_full` or `unavailable`: nothing can be stored now, the sender should repeat it
   */
  apply(
    effects: readonly DeviceEffect[],
    context: EffectContext,
  ): { readonly done: Promise<void>; readonly entries: ReadonlySet<BoundDevice> } {
    const entries = new Set<BoundDevice>();
    const work: Promise<void>[] = [];
    for (const effect of effects) {
      const entry =
        effect.do === "device"
          ? this.#announced(effect.device, context, work)
          : this.#options.book.find(context.family, effect.key);
      if (entry === null) continue;
      if (!this.#maySpeak(entry, context)) continue;
      entries.add(entry);
      if (context.live) entry.heardMono = this.#options.clock.mono();
      if (effect.do === "device") continue;
      if (entry.bindingState === "shadowed") this.#place(entry, context, work);
      if (entry.bindingState === "bound")
        this.#run(entry, context, (deviceId) => this.#apply(entry, deviceId, effect, context), work);
    }
    return { done: Promise.all(work).then(() => undefined), entries };
  }

  /** A family reports a device: binds it, or creates it, or leaves it to the family that has it. */
  #announced(device: BridgedDevice, context: EffectContext, work: Promise<void>[]): BoundDevice | null {
    const { book, devices } = this.#options;
    const refusal = this.#refusal(device);
    if (refusal !== null) {
      this.#options.problems.problem(context.family, refusal);
      return null;
    }
    const known = book.find(context.family, device.key);
    if (known !== null && !this.#maySpeak(known, context)) {
      if (!this.#options.contexts.isFree(known, context.client)) {
        this.#options.problems.problem(
          context.family,
          `${known.deviceId ?? device.key} belongs to another client; remove the device or that client to let this one have it`,
        );
        return null;
      }
      this.#options.contexts.forget(known);
    }
    if (known?.bindingState === "removed" && !context.live) return known; // only a new announcement brings it back
    const refused = this.#options.contexts.grant({ family: context.family, key: device.key, client: context.client });
    if (refused !== null) {
      this.#options.problems.problem(
        context.family,
        `${device.name.slice(0, 60)} is not taken as it announces itself: ${refused}`,
      );
      return null;
    }
    const before = known?.device ?? null;
    if (known === null) this.#forgetOldest();
    const { entry, changed } = book.announce(context.family, device);
    const mqttClientId =
      context.mqttClientId === undefined ? (entry.speaker?.mqttClientId ?? null) : context.mqttClientId;
    book.setSpeaker(entry, { client: context.client, mqttClientId });
    if (context.live) entry.heardMono = this.#options.clock.mono();
    if (entry.bindingState !== "bound") this.#place(entry, context, work);
    else if (changed && before !== null) {
      const { name: old } = before;
      this.#run(
        entry,
        context,
        async (deviceId) => {
          // A name that the owner chose stays.
          if (old !== device.name && devices.find(deviceId)?.name === shownName(before))
            await devices.rename(deviceId, shownName(device));
          await devices.info(deviceId, infoOf(device, before));
        },
        work,
      );
    }
    return entry;
  }

  /** Makes room for a first announcement: entries without a device are bounded by the device limit too. */
  #forgetOldest(): void {
    const { book, maxDevices } = this.#options;
    for (const entry of book.surplus(Math.max(0, maxDevices() - 1), this.#isThere)) this.#drop(entry);
  }

  readonly #isThere = (deviceId: string): boolean => this.#options.devices.find(deviceId) !== null;

  #drop(entry: BoundDevice): void {
    this.#options.book.drop(entry);
    this.#options.contexts.rights.release(entry.family, entry.key);
  }

  #refusal(device: BridgedDevice): string | null {
    if (!KEY.test(device.key)) return `a device whose key "${device.key.slice(0, 60)}" cannot be part of an id`;
    if (JSON.stringify(device.memo).length > MOST_MEMO)
      return `the device ${device.key} has more to remember than is kept`;
    return null;
  }

  #place(entry: BoundDevice, context: EffectContext, work: Promise<void>[]): void {
    const { book, devices } = this.#options;
    if (book.keeper(entry) !== null) {
      if (entry.bindingState !== "shadowed") book.setBindingState(entry, "shadowed");
      return;
    }
    const loser = book.loser(entry);
    if (loser !== null && loser.deviceId !== null) {
      // an expected one has nothing that its family could be given back
      if (loser.bindingState === "bound") book.setBindingState(loser, "shadowed");
      this.#bind(entry, loser.deviceId, context, work);
    } else if (entry.bindingState === "removed" && !context.live) return;
    else if (entry.deviceId !== null && entry.bindingState !== "removed" && devices.find(entry.deviceId) !== null)
      this.#bind(entry, entry.deviceId, context, work);
    else this.#make(entry, context, work);
  }

  #bind(entry: BoundDevice, deviceId: string, context: EffectContext, work: Promise<void>[]): void {
    this.#options.book.bind(entry, deviceId);
    this.#run(entry, context, (id) => this.#options.devices.info(id, infoOf(entry.device, null)), work);
  }

  #make(entry: BoundDevice, context: EffectContext, work: Promise<void>[]): void {
    const { book, devices, maxDevices, problems } = this.#options;
    if (!devices.ready() || book.standing(this.#isThere) >= maxDevices()) {
      if (devices.ready())
        problems.problem(
          context.family,
          `the hub takes no more than ${maxDevices()} devices of other makes (setting bridge.maxDevices), those included that were withdrawn and not removed yet`,
        );
      this.#drop(entry);
      return;
    }
    entry.deviceId = null;
    book.setBindingState(entry, "bound"); // from now on it keeps its twins out
    const { device } = entry;
    const made = devices
      .create({
        id: `${entry.family}-${entry.key}`,
        name: shownName(device),
        type: shownType(device),
        room: textOf(device.room, 80),
      })
      .then(
        (deviceId) => {
          book.bind(entry, deviceId);
          for (const task of entry.waiting.splice(0)) task(deviceId);
        },
        (error: unknown) => {
          this.#drop(entry);
          for (const task of entry.waiting.splice(0)) task(null);
          this.#failed(error, context);
        },
      );
    work.push(made);
    this.#run(entry, context, (deviceId) => devices.info(deviceId, infoOf(device, null)), work);
  }

  /** Runs `task` with the device's id, later if the device is being created. */
  #run(
    entry: BoundDevice,
    context: EffectContext,
    task: (deviceId: string) => Promise<void>,
    work: Promise<void>[],
  ): void {
    const run = async (deviceId: string): Promise<void> => {
      try {
        await task(deviceId);
      } catch (error) {
        this.#failed(error, context);
      }
    };
    if (entry.deviceId !== null) work.push(run(entry.deviceId));
    else if (entry.waiting.length < MOST_WAITING)
      work.push(
        new Promise((resolve, reject) =>
          entry.waiting.push((deviceId) => (deviceId === null ? resolve() : void run(deviceId).then(resolve, reject))),
        ),
      );
  }

  /** A full disk concerns the sender; everything else is shown. */
  #failed(error: unknown, { family }: EffectContext): void {
    if (error instanceof Problem && (error.code === "storage_full" || error.code === "unavailable")) throw error;
    if (error instanceof Problem && error.code === "device_not_found") return; // removed meanwhile
    this.#options.problems.problem(family, error instanceof Error ? error.message : String(error));
  }

  /**
   * Whether a device belongs to the credential whose family reports it. A device of unknown origin is the outside
   * broker's.
   */
  #maySpeak(entry: BoundDevice, { client }: EffectContext): boolean {
    return (entry.speaker?.client ?? OUTSIDE) === client;
  }

  async #apply(
    entry: BoundDevice,
    deviceId: string,
    effect: Exclude<DeviceEffect, { readonly do: "device" }>,
    context: EffectContext,
  ): Promise<void> {
    const { devices, commands, book, mirror } = this.#options;
    switch (effect.do) {
      case "state": {
        const patch = withinRange(effect.patch);
        if (Object.keys(patch).length === 0) return;
        commands.stateReported(deviceId, patch);
        mirror.superseded(deviceId, Object.keys(patch));
        return devices.state(deviceId, patch);
      }
      case "telemetry":
        return this.#measured(deviceId, effect, context);
      case "counter":
        return this.#counted(deviceId, effect, context);
      case "availability":
        entry.online = effect.online;
        if (effect.online) commands.arrived(deviceId);
        return devices.presence(deviceId, effect.online);
      case "event":
        return context.live
          ? devices.event(deviceId, { kind: effect.kind, title: effect.title, body: effect.body })
          : undefined;
      case "plate":
        // Only the family that the owner trusted with it may report what opens a gate.
        return context.live && entry.family === PLATE_FAMILY ? devices.plate(deviceId, effect.plate) : undefined;
      case "gone":
        book.setBindingState(entry, "gone");
        this.#options.contexts.rights.release(entry.family, entry.key);
        mirror.forget(deviceId);
        return devices.presence(deviceId, false);
    }
  }

  async #measured(
    deviceId: string,
    effect: Extract<Effect, { readonly do: "telemetry" }>,
    { live, durable }: EffectContext,
  ): Promise<void> {
    const data = numbers(effect.data);
    if (Object.keys(data).length === 0) return;
    this.#options.mirror.note(deviceId, data);
    if (live) await this.#options.devices.telemetry(deviceId, [{ at: effect.at, data }], durable);
  }

  async #counted(
    deviceId: string,
    effect: Extract<Effect, { readonly do: "counter" }>,
    { live, durable, at }: EffectContext,
  ): Promise<void> {
    const { meters, mirror, devices } = this.#options;
    const { metric } = effect;
    if (!METRIC.test(metric)) return;
    const step = meters.read(deviceId, { metric, wattHours: effect.wattHours, epoch: effect.epoch, at }, live);
    if (step === null) return;
    const kwh = (wattHours: number): number => Math.round(wattHours * 10) / 10_000;
    const total = kwh(step.meter.total);
    const flag = `${metric}Estimated`;
    mirror.note(deviceId, { [metric]: total, ...(step.meter.estimated ? { [flag]: true } : {}) });
    if (!live || step.quarantined) return;
    const samples = [
      ...step.between.map((point) => ({ at: point.at, data: { [metric]: kwh(point.kwh * 1000) } })),
      { at: null, data: { [metric]: total } },
    ];
    await devices.telemetry(deviceId, samples, durable);
  }
}

function numbers(data: Readonly<Record<string, number>>): JsonObject {
  return withinRange(
    Object.fromEntries(Object.entries(data).filter(([name, value]) => METRIC.test(name) && Number.isFinite(value))),
  );
}

function shownName(device: BridgedDevice): string {
  return textOf(device.name, 120) ?? device.key;
}

function shownType(device: BridgedDevice): string {
  return TYPE.test(device.type) ? device.type : "sensor";
}

/**
 * What the registry receives; the type only if the firmware's own type changed, because the owner may have chosen
 * another.
 */
function infoOf(device: BridgedDevice, before: BridgedDevice | null): JsonObject {
  const { firmware, model, manufacturer, metrics, commands, reportSeconds } = device;
  const type = before !== null && before.type !== device.type ? { type: shownType(device) } : {};
  const schema = commands === null && (before?.commands ?? null) === null ? {} : { commands: commands ?? {} };
  const named = metrics.filter((name) => METRIC.test(name)).slice(0, MOST_METRICS);
  return { ...type, ...schema, firmware, model, manufacturer, metrics: named, interval: reportSeconds ?? 0 };
}
