/** How an endpoint's values read as attributes of Matter's clusters. */
import { AirQuality } from "@matter/main/clusters/air-quality";
import { DoorLock } from "@matter/main/clusters/door-lock";
import type { BridgedEndpoint, EndpointValues } from "../../bridge/calls.ts";
import { fanMode, systemMode } from "./climate.ts";
import { FULLY_CLOSED } from "./closures.ts";
import { MOST_LEVEL, miredsOf } from "./switches.ts";

/** Attributes, by cluster. */
export type States = Record<string, Record<string, unknown>>;

/** Values as attributes, cluster by cluster: only what was reported. */
export function statesOf(spec: BridgedEndpoint, values: EndpointValues): States {
  const states: States = {};
  const put = <Value>(
    cluster: string,
    attribute: string,
    value: Value | undefined,
    as: (value: NonNullable<Value>) => unknown,
  ): void => {
    if (value === undefined) return;
    const converted = value === null ? null : as(value as NonNullable<Value>); // not nullish: checked here
    states[cluster] = { ...states[cluster], [attribute]: converted };
  };
  const { kind } = spec;
  const isLamp = kind === "light" || kind === "dimmer" || kind === "temperatureLight" || kind === "colourLight";
  if (isLamp || kind === "plug") put("onOff", "onOff", values.on ?? undefined, (on) => on);
  if (isLamp && kind !== "light")
    put("levelControl", "currentLevel", values.brightness, (percent) =>
      Math.max(1, Math.round((percent / 100) * MOST_LEVEL)),
    );
  if (kind === "temperatureLight" || kind === "colourLight")
    put("colorControl", "colorTemperatureMireds", values.kelvin ?? undefined, (kelvin) =>
      bounded(miredsOf(kelvin), spec),
    );
  if (kind === "colourLight") {
    put("colorControl", "currentHue", values.hue ?? undefined, (hue) => Math.round((hue / 360) * MOST_LEVEL));
    put("colorControl", "currentSaturation", values.saturation ?? undefined, (saturation) =>
      Math.round((saturation / 100) * MOST_LEVEL),
    );
  }
  if (kind === "fan") fanStates(spec, values, put);
  if (kind === "cover") {
    put("windowCovering", "currentPositionLiftPercent100ths", values.position, (position) =>
      Math.round(FULLY_CLOSED - position * 100),
    );
    if (values.moving === "stopped")
      put("windowCovering", "targetPositionLiftPercent100ths", values.position, (position) =>
        Math.round(FULLY_CLOSED - position * 100),
      );
  }
  if (kind === "lock" && values.locked !== undefined) {
    const { LockState } = DoorLock;
    states.doorLock = {
      lockState:
        values.locked === null ? LockState.NotFullyLocked : values.locked ? LockState.Locked : LockState.Unlocked,
    };
  }
  if (kind === "thermostat") thermostatStates(spec, values, put);
  if (kind === "temperature") put("temperatureMeasurement", "measuredValue", values.temperature, hundredths);
  if (kind === "humidity") put("relativeHumidityMeasurement", "measuredValue", values.humidity, hundredths);
  if (kind === "motion") put("occupancySensing", "occupancy", values.motion ?? undefined, (occupied) => ({ occupied }));
  if (kind === "contact") put("booleanState", "stateValue", values.contact ?? undefined, (closed) => closed);
  // MeasuredValue of the cluster: 10,000 times the logarithm, plus one.
  if (kind === "illuminance")
    put("illuminanceMeasurement", "measuredValue", values.illuminance, (lux) =>
      lux < 1 ? 0 : Math.min(65_534, Math.round(10_000 * Math.log10(lux) + 1)),
    );
  if (kind === "air") {
    put("carbonDioxideConcentrationMeasurement", "measuredValue", values.co2, (ppm) => ppm);
    put("pm25ConcentrationMeasurement", "measuredValue", values.pm25, (micrograms) => micrograms);
    put("airQuality", "airQuality", airQuality(values), (quality) => quality);
  }
  if (spec.features.meters) {
    const milli = (value: number): number => Math.round(value * 1_000);
    put("electricalPowerMeasurement", "activePower", values.watts, milli);
    put("electricalPowerMeasurement", "voltage", values.volts, milli);
    put("electricalPowerMeasurement", "activeCurrent", values.amps, milli);
    put("electricalEnergyMeasurement", "cumulativeEnergyImported", values.kwh, (kwh) => ({
      energy: Math.round(kwh * 1_000_000),
    }));
  }
  return states;
}

type Put = <Value>(
  cluster: string,
  attribute: string,
  value: Value | undefined,
  as: (value: NonNullable<Value>) => unknown,
) => void;

function fanStates({ features }: BridgedEndpoint, { speed }: EndpointValues, put: Put): void {
  if (speed === null || speed === undefined) return;
  const steps = (percent: number): number => Math.round((percent / 100) * features.speeds);
  put("fanControl", "fanMode", speed, fanMode);
  put("fanControl", "percentSetting", speed, Math.round);
  put("fanControl", "percentCurrent", speed, Math.round);
  put("fanControl", "speedSetting", speed, steps);
  put("fanControl", "speedCurrent", speed, steps);
}

function thermostatStates({ features }: BridgedEndpoint, values: EndpointValues, put: Put): void {
  put("thermostat", "localTemperature", values.temperature, hundredths);
  if (features.heats) put("thermostat", "occupiedHeatingSetpoint", values.target ?? undefined, hundredths);
  if (features.regulates || !features.heats)
    put("thermostat", "occupiedCoolingSetpoint", values.target ?? undefined, hundredths);
  put("thermostat", "systemMode", values.mode, systemMode);
}

function hundredths(value: number): number {
  return Math.max(-27_315, Math.min(32_767, Math.round(value * 100)));
}

function bounded(mireds: number, { features }: BridgedEndpoint): number {
  return Math.min(miredsOf(features.leastKelvin), Math.max(miredsOf(features.mostKelvin), mireds));
}

/** The worse of carbon dioxide (ppm) and fine dust (µg/m³), by the steps that meters commonly show. */
function airQuality({ co2, pm25 }: EndpointValues): AirQuality.AirQualityEnum | undefined {
  const steps = (value: number | null | undefined, limits: readonly number[]): number =>
    value === null || value === undefined ? -1 : limits.filter((limit) => value >= limit).length;
  const worst = Math.max(steps(co2, [800, 1_000, 1_400, 2_000]), steps(pm25, [10, 25, 50, 75]));
  const { Good, Fair, Moderate, Poor, VeryPoor } = AirQuality.AirQualityEnum;
  return worst < 0 ? undefined : [Good, Fair, Moderate, Poor, VeryPoor][worst];
}
