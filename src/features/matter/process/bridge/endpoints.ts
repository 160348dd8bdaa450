/** Which Matter device types the hub's endpoints are. */
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
import type { BridgedEndpoint } from "../../bridge/calls.ts";
import { type States, statesOf } from "./attributes.ts";
import { CoolingThermostat, FullThermostat, HeatingThermostat, OrderedFan } from "./climate.ts";
import { OrderedCover, OrderedLock, OrderedPinLock } from "./closures.ts";
import {
  miredsOf,
  OrderedColour,
  OrderedLampOnOff,
  OrderedLevel,
  OrderedOnOff,
  OrderedTemperature,
} from "./switches.ts";

const Bridged = BridgedDeviceBasicInformationServer;
const Power = ElectricalPowerMeasurementServer.with("AlternatingCurrent");
const Energy = ElectricalEnergyMeasurementServer.with("ImportedEnergy", "CumulativeEnergy");
const Topology = PowerTopologyServer.with("NodeTopology");
const Co2 = CarbonDioxideConcentrationMeasurementServer.with("NumericMeasurement");
const Pm25 = Pm25ConcentrationMeasurementServer.with("NumericMeasurement");

/** The accuracy that must be declared: one percent of the measured value. */
function accuracy(measurementType: MeasurementType, rangeMax: number) {
  return {
    measurementType,
    measured: true,
    minMeasuredValue: 0,
    maxMeasuredValue: rangeMax,
    accuracyRanges: [{ rangeMin: 0, rangeMax, percentMax: 100 }],
  };
}

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

/** How a bridged device describes itself. */
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
 * The Matter device type of an endpoint, with behaviours that ask the hub. The library types each combination
 * separately; they are all made alike.
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

/** Constants that a device type must declare. */
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
          // Inverted: bits that are not set are supported.
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
