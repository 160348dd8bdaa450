import type { ActionContext } from "@matter/main";
import { FanControlServer } from "@matter/main/behaviors/fan-control";
import { ThermostatServer } from "@matter/main/behaviors/thermostat";
import { FanControl } from "@matter/main/clusters/fan-control";
import { Thermostat } from "@matter/main/clusters/thermostat";
import type { EndpointAction } from "../../bridge/calls.ts";
import { HubOrders } from "./orders.ts";

const SPEED_OF_MODE: ReadonlyMap<FanControl.FanMode, number> = new Map([
  [FanControl.FanMode.Off, 0],
  [FanControl.FanMode.Low, 33],
  [FanControl.FanMode.Medium, 66],
  [FanControl.FanMode.High, 100],
]);

/** The name of the mode for a speed in percent. */
export function fanMode(speed: number): FanControl.FanMode {
  if (speed === 0) return FanControl.FanMode.Off;
  return speed <= 33 ? FanControl.FanMode.Low : speed <= 66 ? FanControl.FanMode.Medium : FanControl.FanMode.High;
}

/** A fan: apps write attributes, and the hub carries out their meaning. */
export class OrderedFan extends FanControlServer.with("MultiSpeed") {
  override initialize(): void {
    super.initialize();
    this.reactTo(this.events.fanMode$Changed, this.#modeWritten);
    this.reactTo(this.events.percentSetting$Changed, this.#percentWritten);
    this.reactTo(this.events.speedSetting$Changed, this.#speedWritten);
  }

  #modeWritten(mode: FanControl.FanMode, _before: unknown, context?: ActionContext): void {
    const speed = SPEED_OF_MODE.get(mode);
    this.#order(context, speed === undefined ? { on: true } : { speed });
  }

  #percentWritten(percent: number | null, _before: unknown, context?: ActionContext): void {
    if (percent !== null) this.#order(context, { speed: percent });
  }

  #speedWritten(speed: number | null, _before: unknown, context?: ActionContext): void {
    if (speed !== null)
      this.#order(context, { speed: Math.min(100, (speed / Math.max(1, this.state.speedMax)) * 100) });
  }

  #order(context: ActionContext | undefined, action: EndpointAction): void {
    this.env.get(HubOrders).actAfterwards(this.endpoint, context, action);
  }
}

const MODES: ReadonlyMap<Thermostat.SystemMode, "off" | "heat" | "cool" | "auto"> = new Map([
  [Thermostat.SystemMode.Off, "off"],
  [Thermostat.SystemMode.Heat, "heat"],
  [Thermostat.SystemMode.Cool, "cool"],
  [Thermostat.SystemMode.Auto, "auto"],
]);

/** Matter's word for a mode. */
export function systemMode(mode: "off" | "heat" | "cool" | "auto"): Thermostat.SystemMode {
  return [...MODES].find(([, word]) => word === mode)?.[0] ?? Thermostat.SystemMode.Off;
}

type Written = (value: number, before: unknown, context?: ActionContext) => void;

/** An app's writes to a thermostat, as orders. */
function ordersOf(server: { env: ThermostatServer["env"]; endpoint: ThermostatServer["endpoint"] }): {
  readonly target: Written;
  readonly mode: Written;
} {
  const order = (context: ActionContext | undefined, action: EndpointAction): void =>
    server.env.get(HubOrders).actAfterwards(server.endpoint, context, action);
  return {
    target: (hundredths, _before, context) => order(context, { target: hundredths / 100 }),
    mode: (value, _before, context) => {
      const mode = MODES.get(value as Thermostat.SystemMode); // the hub has no word for other modes
      if (mode !== undefined) order(context, { mode });
    },
  };
}

/** A thermostat that heats. */
export class HeatingThermostat extends ThermostatServer.with("Heating") {
  override async initialize(): Promise<void> {
    await super.initialize();
    const { target, mode } = ordersOf(this);
    this.reactTo(this.events.occupiedHeatingSetpoint$Changed, target);
    this.reactTo(this.events.systemMode$Changed, mode);
  }
}

/** A thermostat that cools. */
export class CoolingThermostat extends ThermostatServer.with("Cooling") {
  override async initialize(): Promise<void> {
    await super.initialize();
    const { target, mode } = ordersOf(this);
    this.reactTo(this.events.occupiedCoolingSetpoint$Changed, target);
    this.reactTo(this.events.systemMode$Changed, mode);
  }
}

/** A thermostat that does both; its single target serves as both setpoints. */
export class FullThermostat extends ThermostatServer.with("Heating", "Cooling", "AutoMode") {
  override async initialize(): Promise<void> {
    await super.initialize();
    const { target, mode } = ordersOf(this);
    this.reactTo(this.events.occupiedHeatingSetpoint$Changed, target);
    this.reactTo(this.events.occupiedCoolingSetpoint$Changed, target);
    this.reactTo(this.events.systemMode$Changed, mode);
  }
}
