import type { Clock, Timer } from "../../core/kernel/clock.ts";
import { isJsonObject, type JsonObject } from "../../core/kernel/json-object.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Trigger } from "../../core/plates/reading.ts";
import type { Model, Reaction, World } from "./model.ts";

/** Where a simulated device's messages go. Rejections are logged and cost only that message. */
export interface Outlet {
  state(deviceId: string, patch: JsonObject): Promise<void>;
  telemetry(deviceId: string, data: JsonObject): Promise<void>;
  event(deviceId: string, event: { kind: string; title: string; body: string }): Promise<void>;
  picture(deviceId: string, trigger: Trigger): Promise<void>;
}

/** One tick of the household at speed 1. */
const TICK_MS = 10_000;
/** A command acts after this time (docs/spec/interface.md §18). */
const ACT_MS = { least: 50, most: 300 } as const;

/** Simulates the devices of one household: commands act after a moment, time passes in ticks. */
export class DeviceSimulator {
  readonly #options: ConstructorParameters<typeof DeviceSimulator>[0];
  readonly #timers = new Set<Timer>();
  #ticking: Timer | null = null;
  #ticks = 0;
  #running = false;

  constructor(options: {
    readonly devices: ReadonlyMap<string, Model>;
    readonly outlet: Outlet;
    readonly clock: Clock;
    readonly logger: Logger;
    /** 0 to 1, as Math.random. */
    readonly random: () => number;
    /** Local time of day in hours at an instant. */
    readonly hourAt: (epochMs: number) => number;
    /** Speed-up factor over real time. */
    readonly speed: number;
  }) {
    this.#options = options;
  }

  /** Begins to act on commands. */
  start(): void {
    this.#running = true;
  }

  /** Ends everything; work in progress is dropped. */
  stop(): void {
    this.#running = false;
    this.sleep();
    for (const timer of this.#timers) timer.stop();
    this.#timers.clear();
  }

  /** Lets time pass, until {@link sleep}. */
  wake(): void {
    const { clock, speed } = this.#options;
    if (this.#running) this.#ticking ??= clock.every(TICK_MS / speed, () => this.#tick());
  }

  /** Stops time; commands still act. */
  sleep(): void {
    this.#ticking?.stop();
    this.#ticking = null;
  }

  get awake(): boolean {
    return this.#ticking !== null;
  }

  /** Reports a device's whole state, as devices do when they connect. */
  report(deviceId: string): Promise<void> {
    const model = this.#options.devices.get(deviceId);
    return model === undefined ? Promise.resolve() : this.#options.outlet.state(deviceId, { ...model.state });
  }

  /** Takes a command for a device; anything but a JSON object is ignored, as a device would. */
  command(deviceId: string, payload: string): void {
    const command = parse(payload);
    const model = this.#options.devices.get(deviceId);
    if (command === null || model === undefined) return;
    const { least, most } = ACT_MS;
    this.#after(least + this.#options.random() * (most - least), () =>
      this.#act(deviceId, model, model.command(command, this.#world(deviceId))),
    );
  }

  #tick(): void {
    this.#ticks += 1;
    for (const [deviceId, model] of this.#options.devices)
      this.#act(deviceId, model, model.tick(this.#world(deviceId)));
  }

  #act(deviceId: string, model: Model, reaction: Reaction): void {
    const { outlet } = this.#options;
    // where little happens, a gate still takes no longer to move than the hub gives it
    const speed = Math.max(1, this.#options.speed);
    const { patch, telemetry, event, picture, later } = reaction;
    if (patch !== undefined && Object.keys(patch).length > 0) {
      Object.assign(model.state, patch);
      this.#send(deviceId, outlet.state(deviceId, patch));
    }
    if (telemetry !== undefined) this.#send(deviceId, outlet.telemetry(deviceId, telemetry));
    if (event !== undefined) this.#send(deviceId, outlet.event(deviceId, event));
    if (picture !== undefined) this.#send(deviceId, outlet.picture(deviceId, picture));
    if (later !== undefined)
      this.#after(later.afterMs / speed, () => this.#act(deviceId, model, later.react(this.#world(deviceId))));
  }

  #after(delayMs: number, task: () => void): void {
    if (!this.#running) return;
    const timer = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      task();
    });
    this.#timers.add(timer);
  }

  #send(deviceId: string, sent: Promise<void>): void {
    sent.catch((error: unknown) => {
      if (this.#running) this.#options.logger.warn({ deviceId, err: error }, "a simulated device could not report");
    });
  }

  #world(deviceId: string): World {
    const { clock, hourAt, random, devices } = this.#options;
    const at = clock.now();
    const load = (): number => {
      let watts = 0;
      for (const [id, { state }] of devices) if (id !== deviceId) watts += drawn(state);
      return watts;
    };
    return { at, hour: hourAt(at), tick: this.#ticks, random, load };
  }
}

/** A device's power: its own reading, or a guess from its activity. */
function drawn(state: JsonObject): number {
  if (typeof state.watts === "number") return state.watts;
  return state.power === true && typeof state.brightness === "number" ? (state.brightness / 100) * 40 : 0;
}

function parse(payload: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(payload);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
