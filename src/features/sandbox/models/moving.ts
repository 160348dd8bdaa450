import type { JsonObject } from "../../../core/kernel/json-object.ts";
import { booleanIn, type Model, numberIn, type Reaction } from "../model.ts";

const STEP_MS = 1_000;

/**
 * Something that takes time to move from one position (0 to 100) to another and can be stopped or turned on the way.
 */
class Drive {
  percent: number;
  #run = 0;
  readonly #stepPercent: number;
  readonly #show: (percent: number, target: number) => JsonObject;
  readonly #arrived: (percent: number) => Reaction["later"];

  constructor(options: {
    percent: number;
    stepPercent: number;
    show: (percent: number, target: number) => JsonObject;
    arrived?: (percent: number) => Reaction["later"];
  }) {
    this.percent = options.percent;
    this.#stepPercent = options.stepPercent;
    this.#show = options.show;
    this.#arrived = options.arrived ?? (() => undefined);
  }

  /** Counts movements: plans of an earlier one are void. */
  get run(): number {
    return this.#run;
  }

  moveTo(target: number): Reaction {
    this.#run += 1;
    const run = this.#run;
    if (this.percent === target) return this.#end();
    return {
      patch: this.#show(this.percent, target),
      later: { afterMs: STEP_MS, react: () => this.#step(run, target) },
    };
  }

  stop(): Reaction {
    this.#run += 1;
    return { patch: this.#show(this.percent, this.percent) };
  }

  #step(run: number, target: number): Reaction {
    if (run !== this.#run) return {};
    const left = target - this.percent;
    this.percent += Math.sign(left) * Math.min(this.#stepPercent, Math.abs(left));
    if (this.percent === target) return this.#end();
    return {
      patch: this.#show(this.percent, target),
      later: { afterMs: STEP_MS, react: () => this.#step(run, target) },
    };
  }

  #end(): Reaction {
    const patch = this.#show(this.percent, this.percent);
    const later = this.#arrived(this.percent);
    return later === undefined ? { patch } : { patch, later };
  }
}

const GATE_STAYS_OPEN_MS = 45_000;

/** A sliding gate: `{open: true|false}`, `{stop: true}`; closes by itself some time after it was opened. */
export function gate(saved: JsonObject): Model {
  const percent = numberIn(saved, "percent", { min: 0, max: 100 }) ?? 0;
  const drive: Drive = new Drive({
    percent,
    stepPercent: 20,
    show: (percent, target) => ({ position: gatePosition(percent, target), open: percent > 0, percent }),
    arrived: (percent) => {
      const { run } = drive;
      return percent === 0
        ? undefined
        : { afterMs: GATE_STAYS_OPEN_MS, react: () => (run === drive.run ? drive.moveTo(0) : {}) };
    },
  });
  return {
    state: { rssi: -70, ...saved, position: gatePosition(percent, percent), open: percent > 0, percent },
    command(command) {
      if (booleanIn(command, "stop") === true) return drive.stop();
      const open = booleanIn(command, "open");
      return open === null ? {} : drive.moveTo(open ? 100 : 0);
    },
    // one that stood open when the hub was stopped closes as any other
    tick: () => (drive.percent > 0 && drive.run === 0 ? drive.moveTo(0) : {}),
  };
}

function gatePosition(percent: number, target: number): string {
  if (target !== percent) return target > percent ? "opening" : "closing";
  if (percent === 0) return "closed";
  return percent === 100 ? "open" : "stopped";
}

/** A roller shutter: `{position: 0…100}`, 100 is open; `{stop: true}`. */
export function cover(saved: JsonObject): Model {
  const position = numberIn(saved, "position", { min: 0, max: 100 }) ?? 100;
  const drive = new Drive({
    percent: position,
    stepPercent: 10,
    show: (percent, target) => ({
      position: percent,
      moving: target === percent ? "stopped" : target > percent ? "opening" : "closing",
    }),
  });
  return {
    state: { rssi: -67, ...saved, position, moving: "stopped" },
    command(command) {
      if (booleanIn(command, "stop") === true) return drive.stop();
      const target = numberIn(command, "position", { min: 0, max: 100 });
      return target === null ? {} : drive.moveTo(Math.round(target));
    },
    tick: () => ({}),
  };
}

const BOLT_MS = 900;

/** A door lock on a battery: the bolt needs a moment. */
export function lock(saved: JsonObject): Model {
  return {
    state: { locked: true, battery: 17, linkquality: 148, ...saved },
    command(command) {
      const locked = booleanIn(command, "locked") ?? booleanIn(command, "lock");
      return locked === null ? {} : { later: { afterMs: BOLT_MS, react: () => ({ patch: { locked } }) } };
    },
    tick: () => ({}),
  };
}
