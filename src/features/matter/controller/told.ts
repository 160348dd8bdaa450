import type { Effect } from "../../../../firmware-bridge/family.ts";
import { type JsonObject, sameJson } from "../../../core/kernel/json-object.ts";
import type { UnitState } from "./state.ts";

/** The values last reported to the hub about one device, so that only changes cost something. */
export class Told {
  #state: JsonObject = {};
  #measured: Readonly<Record<string, number>> = {};
  readonly #counters = new Map<string, number>();

  /** Changes in a unit's state, as effects for the device `key`. */
  news(key: string, { state, measured, counters }: UnitState): Effect[] {
    const effects: Effect[] = [];
    const patch = Object.fromEntries([
      ...Object.entries(state).filter(([name, value]) => !sameJson(this.#state[name] ?? null, value)),
      ...Object.keys(this.#state).flatMap((name): [string, null][] =>
        Object.hasOwn(state, name) ? [] : [[name, null]],
      ),
    ]);
    if (Object.keys(patch).length > 0) effects.push({ do: "state", key, patch });
    const data = Object.fromEntries(Object.entries(measured).filter(([name, value]) => this.#measured[name] !== value));
    if (Object.keys(data).length > 0) effects.push({ do: "telemetry", key, data, at: null });
    for (const { metric, wattHours } of counters) {
      if (this.#counters.get(metric) === wattHours) continue;
      this.#counters.set(metric, wattHours);
      effects.push({ do: "counter", key, metric, wattHours, epoch: null });
    }
    this.#state = state;
    this.#measured = measured;
    return effects;
  }
}
