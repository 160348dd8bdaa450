/** Which Matter device types the hub's endpoints are, and how their values read there. */
import { Endpoint, type EndpointType } from "@matter/main";
import { AirQualityServer } from "@matter/main/behaviors/air-quality";
import { BridgedDeviceBasicInformationServer } from "@matter/main/behaviors/bridged-device-basic-information";
import { CarbonDioxideConcentrationMeasurementServer } from "@matter/main/behaviors/carbon-dioxide-concentration-measurement";
import { ElectricalEnergyMeasurementServer } from "@matter/main/behaviors/electrical-energy-measurement";
import { ElectricalPowerMeasurementServer } from "@matter/main/behaviors/electrical-power-measurement";
import { FixedLabelServer } from "@matter/main/behaviors/fixed-label";
import { OccupancySensingServer } from "@matter/main/behaviors/occupancy-sensing";
import { Pm25ConcentrationMeasurementServer } from "@matter/main/behaviors/pm25-concentration-measurement";
import { PowerTopologyServer } from "@matter/main/behaviors/power-topology";
import { AirQuality } from "@matter/main/clusters/air-quality";
import { ConcentrationMeasurement } from "@matter/main/clusters/concentration-measurement";
import { DoorLock } from "@matter/main/clusters/door-lock";
import { ElectricalPowerMeasurement } from "@matter/main/clusters/electrical-power-measurement";
import { FanControl } from "@matter/main/clusters/fan-control";
import { Thermostat } from "@matter/main/clusters/thermostat";
import { WindowCovering } from "@matter/main/clusters/window-covering";
import { AirQualitySensorDevice } from "@matter/main/devices/air-quality-sensor";
import { ColorTemperatureLightDevice } from "@matter/main/devices/color-temperature-light";
import { ContactSensorDevice } from "@matter/main/devices/contact-sensor";
import { DimmableLightDevice } from "@matter/main/devices/dimmable-light";
import { DoorLockDevice } from "@matter/main/devices/door-lock";
import { ExtendedColorLightDevice } from "@matter/main/devices/extended-color-light";
import { FanDevice } from "@matter/main/devices/fan";
import { HumiditySensorDevice } from "@matter/main/devices/humidity-sensor";
import { LightSensorDevice } from "@matter/main/devices/light-sensor";
import { OccupancySensorDevice } from "@matter/main/devices/occupancy-sensor";
import { OnOffLightDevice } from "@matter/main/devices/on-off-light";
import { OnOffPlugInUnitDevice } from "@matter/main/devices/on-off-plug-in-unit";
import { TemperatureSensorDevice } from "@matter/main/devices/temperature-sensor";
import { ThermostatDevice } from "@matter/main/devices/thermostat";
import { WindowCoveringDevice } from "@matter/main/devices/window-covering";
import { ElectricalSensorEndpoint } from "@matter/main/endpoints/electrical-sensor";
import { MeasurementType } from "@matter/main/types";
import type { BridgedEndpoint, EndpointValues } from "../../bridge/calls.js";
import { CoolingThermostat, FullThermostat, fanMode, HeatingThermostat, OrderedFan, systemMode } from "./climate.js";
import { FULLY_CLOSED, OrderedCover, OrderedLock, OrderedPinLock } from "./closures.js";
import {
  MOST_LEVEL,
  miredsOf,
  OrderedColour,
  OrderedLampOnOff,
  OrderedLevel,
  OrderedOnOff,
  OrderedTemperature,
} from "./switches.js";

const Bridged = BridgedDeviceBasicInformationServer;
const Power = ElectricalPowerMeasurementServer.with("AlternatingCurrent");
const Energy = ElectricalEnergyMeasurementServer.with("ImportedEnergy", "CumulativeEnergy");
const Topology = PowerTopologyServer.with("NodeTopology");
const Co2 = CarbonDioxideConcentrationMeasurementServer.with("NumericMeasurement");
const Pm25 = Pm25ConcentrationMeasurementServer.with("NumericMeasurement");

/** The accuracy that has to be stated: one in a hundred of whatever is measured. */
function accuracy(measurementType: MeasurementType, rangeMax: number) {
  return {
    measurementType,
    measured: true,
    minMeasuredValue: 0,
    maxMeasuredValue: rangeMax,
    accuracyRanges: [{ rangeMin: 0, rangeMax, percentMax: 100 }],
  };
}

/** What a value of Matter is, by cluster. */
type States = Record<string, Record<string, unknown>>;

/** Makes the endpoint of a bridged device. */
export function makeEndpoint(spec: BridgedEndpoint): Endpoint {
  const { features } = spec;
  const states: States = { ...constants(spec), ...described(spec) };
  for (const [cluster, values] of Object.entries(statesOf(spec, spec.values)))
    states[cluster] = { ...states[cluster], ...values };
  const type = typeOf(spec);
  const metered = features.meters && spec.kind !== "meter" ? type.with(Power, Energy, Topology) : type;
  return new Endpoint(metered.with(Bridged, FixedLabelServer), {
    id: `e${spec.number}`,
    number: spec.number,
    ...states,
  });
}

/** What a bridged device says of itself. */
export function described({ name, room, serial, manufacturer, model, reachable }: BridgedEndpoint): States {
  return {
    bridgedDeviceBasicInformation: {
      nodeLabel: name,
      productName: model === "" ? "Device" : model,
      vendorName: manufacturer === "" ? "Gatehouse" : manufacturer,
      serialNumber: serial,
      reachable,
    },
    fixedLabel: { labelList: room === "" ? [] : [{ label: "room", value: room }] },
  };
}

/**
 * The Matter device type of an endpoint, with behaviours that ask the hub. The library types each combination apart;
 * they are all made alike.
 */
function typeOf({ kind, features }: BridgedEndpoint): {
  with(...behaviors: unknown[]): EndpointType & { with(...behaviors: unknown[]): EndpointType };
} {
  const made = ((): unknown => {
    switch (kind) {
      case "plug":
        return OnOffPlugInUnitDevice.with(OrderedOnOff);
      case "light":
        return OnOffLightDevice.with(OrderedLampOnOff);
      case "dimmer":
        return DimmableLightDevice.with(OrderedLampOnOff, OrderedLevel);
      case "temperatureLight":
        return ColorTemperatureLightDevice.with(OrderedLampOnOff, OrderedLevel, OrderedTemperature);
      case "colourLight":
        return ExtendedColorLightDevice.with(OrderedLampOnOff, OrderedLevel, OrderedColour);
      case "fan":
        return FanDevice.with(OrderedFan);
      case "cover":
        return WindowCoveringDevice.with(OrderedCover);
      case "lock":
        return DoorLockDevice.with(features.pin ? OrderedPinLock : OrderedLock);
      case "thermostat":
        return ThermostatDevice.with(
          features.regulates
            ? FullThermostat
            : features.cools && !features.heats
              ? CoolingThermostat
              : HeatingThermostat,
        );
      case "temperature":
        return TemperatureSensorDevice;
      case "humidity":
        return HumiditySensorDevice;
      case "motion":
        return OccupancySensorDevice.with(OccupancySensingServer.with("PassiveInfrared"));
      case "contact":
        return ContactSensorDevice;
      case "illuminance":
        return LightSensorDevice;
      case "air":
        return AirQualitySensorDevice.with(AirQualityServer.with("Fair", "Moderate", "VeryPoor"), Co2, Pm25);
      case "meter":
        return ElectricalSensorEndpoint.with(Power, Energy, Topology);
    }
  })();
  return made as ReturnType<typeof typeOf>; // see above
}

/** What a device type has to state, and never changes. */
function constants({ kind, features }: BridgedEndpoint): States {
  const meter: States = features.meters
    ? {
        electricalPowerMeasurement: {
          powerMode: ElectricalPowerMeasurement.PowerMode.Ac,
          numberOfMeasurementTypes: 3,
          accuracy: [
            accuracy(MeasurementType.ActivePower, 10_000_000_000),
            accuracy(MeasurementType.Voltage, 10_000_000),
            accuracy(MeasurementType.ActiveCurrent, 10_000_000),
          ],
        },
        electricalEnergyMeasurement: { accuracy: accuracy(MeasurementType.ElectricalEnergy, 1_000_000_000_000_000) },
      }
    : {};
  switch (kind) {
    case "fan":
      return {
        ...meter,
        fanControl: {
          fanModeSequence: FanControl.FanModeSequence.OffLowMedHigh,
          speedMax: features.speeds,
          percentCurrent: 0,
          speedCurrent: 0,
        },
      };
    case "temperatureLight":
    case "colourLight":
      return {
        ...meter,
        colorControl: {
          colorTempPhysicalMinMireds: miredsOf(features.mostKelvin),
          colorTempPhysicalMaxMireds: miredsOf(features.leastKelvin),
          coupleColorTempToLevelMinMireds: miredsOf(features.mostKelvin),
          startUpColorTemperatureMireds: null,
          colorTemperatureMireds: miredsOf(features.leastKelvin),
          managedTransitionTimeHandling: false,
        },
      };
    case "cover":
      return {
        windowCovering: {
          type: WindowCovering.WindowCoveringType.Rollershade,
          endProductType: WindowCovering.EndProductType.RollerShutter,
        },
      };
    case "lock":
      return {
        doorLock: {
          lockType: DoorLock.LockType.DeadBolt,
          actuatorEnabled: true,
          operatingMode: DoorLock.OperatingMode.Normal,
          // The spec inverts these bits: what is not set is supported.
          supportedOperatingModes: {
            normal: false,
            vacation: true,
            privacy: true,
            noRemoteLockUnlock: false,
            passage: true,
            alwaysSet: 2047,
          },
          ...(features.pin
            ? {
                numberOfPinUsersSupported: 1,
                maxPinCodeLength: 8,
                minPinCodeLength: 4,
                requirePinForRemoteOperation: true,
                sendPinOverTheAir: false,
                wrongCodeEntryLimit: 5,
                userCodeTemporaryDisableTime: 255,
              }
            : {}),
        },
      };
    case "thermostat": {
      const [least, most] = [features.leastTarget * 100, features.mostTarget * 100];
      const { SystemMode, ControlSequenceOfOperation } = Thermostat;
      const { CoolingAndHeating, CoolingOnly, HeatingOnly } = ControlSequenceOfOperation;
      return {
        thermostat: {
          controlSequenceOfOperation: features.regulates
            ? CoolingAndHeating
            : features.cools && !features.heats
              ? CoolingOnly
              : HeatingOnly,
          systemMode: SystemMode.Off,
          ...(features.regulates ? { minSetpointDeadBand: 0 } : {}),
          ...(features.heats
            ? {
                absMinHeatSetpointLimit: least,
                absMaxHeatSetpointLimit: most,
                minHeatSetpointLimit: least,
                maxHeatSetpointLimit: most,
              }
            : {}),
          ...(features.regulates || !features.heats
            ? {
                absMinCoolSetpointLimit: least,
                absMaxCoolSetpointLimit: most,
                minCoolSetpointLimit: least,
                maxCoolSetpointLimit: most,
              }
            : {}),
        },
      };
    }
    case "motion":
      return {
        occupancySensing: {
          occupancySensorTypeBitmap: { pir: true, ultrasonic: false, physicalContact: false },
          occupancySensorType: 0,
        },
      };
    case "air": {
      const { MeasurementMedium, MeasurementUnit } = ConcentrationMeasurement;
      return {
        carbonDioxideConcentrationMeasurement: {
          measurementMedium: MeasurementMedium.Air,
          measurementUnit: MeasurementUnit.Ppm,
          minMeasuredValue: 0,
          maxMeasuredValue: 100_000,
        },
        pm25ConcentrationMeasurement: {
          measurementMedium: MeasurementMedium.Air,
          measurementUnit: MeasurementUnit.Ugm3,
          minMeasuredValue: 0,
          maxMeasuredValue: 100_000,
        },
      };
    }
    default:
      return meter;
  }
}

/** Values as attributes, cluster by cluster: only of what was told. */
export function statesOf(spec: BridgedEndpoint, values: EndpointValues): States {
  const states: States = {};
  const put = <Value>(
    cluster: string,
    attribute: string,
    value: Value | undefined,
    as: (value: NonNullable<Value>) => unknown,
  ): void => {
    if (value === undefined) return;
    const told = value === null ? null : as(value as NonNullable<Value>); // neither null nor undefined: looked at here
    states[cluster] = { ...states[cluster], [attribute]: told };
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
  // 10,000 times the logarithm, and one (Matter application clusters §2.2.5.1).
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
