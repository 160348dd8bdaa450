/**
 * A Matter device as a process of its own, made of matter.js' device classes: it answers on its network, is joined by
 * its code, and remembers its fabrics in `MATTER_DEVICE_FOLDER` from one start to the next.
 *
 * Environment: `MATTER_DEVICE_KIND` one of {@link KINDS}; `MATTER_DEVICE_FOLDER` its memory;
 * `MATTER_DEVICE_DISCRIMINATOR`, `MATTER_DEVICE_PORT`. From the parent:
 * `{"endpoint":"plug","set":{"onOff":{"onOff":true}}}` changes what it measures or how it stands;
 * `{"storm":{"count":1000}}` reports as fast as it can; `{"open":true}` opens it to a further controller. To the
 * parent: `{"ready":{"manual":…,"qr":…,"port":…}}`, `{"open":{"manual":…}}`, and
 * `{"changed":{"endpoint":…,"cluster":…,"state":…}}` for what it was told to do.
 */
import { Endpoint, Environment, Logger, LogLevel, ServerNode, VendorId } from "@matter/main";
import { BridgedDeviceBasicInformationServer } from "@matter/main/behaviors/bridged-device-basic-information";
import { ElectricalEnergyMeasurementServer } from "@matter/main/behaviors/electrical-energy-measurement";
import { ElectricalPowerMeasurementServer } from "@matter/main/behaviors/electrical-power-measurement";
import { FanControlServer } from "@matter/main/behaviors/fan-control";
import { OccupancySensingServer } from "@matter/main/behaviors/occupancy-sensing";
import { PowerSourceServer } from "@matter/main/behaviors/power-source";
import { ThermostatServer } from "@matter/main/behaviors/thermostat";
import { WindowCoveringServer } from "@matter/main/behaviors/window-covering";
import { ColorControl } from "@matter/main/clusters/color-control";
import { DoorLock } from "@matter/main/clusters/door-lock";
import { ElectricalPowerMeasurement } from "@matter/main/clusters/electrical-power-measurement";
import { FanControl } from "@matter/main/clusters/fan-control";
import { OccupancySensing } from "@matter/main/clusters/occupancy-sensing";
import { PowerSource } from "@matter/main/clusters/power-source";
import { Thermostat } from "@matter/main/clusters/thermostat";
import { ContactSensorDevice } from "@matter/main/devices/contact-sensor";
import { DimmableLightDevice } from "@matter/main/devices/dimmable-light";
import { DoorLockDevice } from "@matter/main/devices/door-lock";
import { ExtendedColorLightDevice } from "@matter/main/devices/extended-color-light";
import { FanDevice } from "@matter/main/devices/fan";
import { HumiditySensorDevice } from "@matter/main/devices/humidity-sensor";
import { OccupancySensorDevice } from "@matter/main/devices/occupancy-sensor";
import { OnOffPlugInUnitDevice } from "@matter/main/devices/on-off-plug-in-unit";
import { TemperatureSensorDevice } from "@matter/main/devices/temperature-sensor";
import { ThermostatDevice } from "@matter/main/devices/thermostat";
import { WindowCoveringDevice } from "@matter/main/devices/window-covering";
import { AggregatorEndpoint } from "@matter/main/endpoints/aggregator";
import { MeasurementType } from "@matter/main/types";

const {
  MATTER_DEVICE_KIND: kind = "plug",
  MATTER_DEVICE_FOLDER: folder = "",
  MATTER_DEVICE_DISCRIMINATOR: discriminator = "3840",
} = process.env;

/** A range of accuracy that every meter has to name. */
const range = (measurementType: MeasurementType, max: number) => ({
  measurementType,
  measured: true,
  minMeasuredValue: 0,
  maxMeasuredValue: max,
  accuracyRanges: [{ rangeMin: 0, rangeMax: max, fixedMax: 10 }],
});

const Plug = OnOffPlugInUnitDevice.with(
  ElectricalPowerMeasurementServer.with("AlternatingCurrent"),
  ElectricalEnergyMeasurementServer.with("ImportedEnergy", "CumulativeEnergy"),
);
const metering = {
  electricalPowerMeasurement: {
    powerMode: ElectricalPowerMeasurement.PowerMode.Ac,
    numberOfMeasurementTypes: 1,
    accuracy: [range(MeasurementType.ActivePower, 3_600_000)],
    activePower: 0,
    voltage: 230_000,
    activeCurrent: 0,
  },
  electricalEnergyMeasurement: {
    accuracy: range(MeasurementType.ElectricalEnergy, 1_000_000_000),
    cumulativeEnergyImported: { energy: 0 },
  },
};
const Battery = PowerSourceServer.with("Battery");
const battery = {
  status: PowerSource.PowerSourceStatus.Active,
  order: 0,
  description: "Battery",
  batChargeLevel: PowerSource.BatChargeLevel.Ok,
  batReplacementNeeded: false,
  batReplaceability: PowerSource.BatReplaceability.UserReplaceable,
  batPercentRemaining: 180,
};

/** Attributes of features that the lock does not have, but that its class reads all the same. */
const LOCK_LIMITS = { wrongCodeEntryLimit: 5, userCodeTemporaryDisableTime: 10 };

/** Each kind's endpoints. */
const KINDS: Readonly<Record<string, () => readonly Endpoint[]>> = {
  plug: () => [new Endpoint(Plug, { id: "plug", ...metering })],
  strip: () => [new Endpoint(OnOffPlugInUnitDevice, { id: "one" }), new Endpoint(OnOffPlugInUnitDevice, { id: "two" })],
  dimmer: () => [new Endpoint(DimmableLightDevice, { id: "lamp", levelControl: { currentLevel: 254 } })],
  lamp: () => [
    new Endpoint(ExtendedColorLightDevice, {
      id: "lamp",
      levelControl: { currentLevel: 254 },
      colorControl: {
        colorMode: ColorControl.ColorMode.ColorTemperatureMireds,
        coupleColorTempToLevelMinMireds: 153,
        colorTempPhysicalMinMireds: 153,
        colorTempPhysicalMaxMireds: 500,
        startUpColorTemperatureMireds: null,
      },
    }),
  ],
  climate: () => [
    new Endpoint(TemperatureSensorDevice, { id: "temperature", temperatureMeasurement: { measuredValue: 2150 } }),
    new Endpoint(HumiditySensorDevice, { id: "humidity", relativeHumidityMeasurement: { measuredValue: 4800 } }),
  ],
  contact: () => [
    new Endpoint(ContactSensorDevice.with(Battery), {
      id: "contact",
      booleanState: { stateValue: true },
      powerSource: battery,
    }),
  ],
  motion: () => [
    new Endpoint(OccupancySensorDevice.with(OccupancySensingServer.with("PassiveInfrared")), {
      id: "motion",
      occupancySensing: {
        occupancy: { occupied: false },
        occupancySensorType: OccupancySensing.OccupancySensorType.Pir,
        occupancySensorTypeBitmap: { pir: true },
      },
    }),
  ],
  thermostat: () => [
    new Endpoint(ThermostatDevice.with(ThermostatServer.with("Heating", "Cooling")), {
      id: "thermostat",
      thermostat: {
        localTemperature: 2050,
        occupiedHeatingSetpoint: 2000,
        occupiedCoolingSetpoint: 2600,
        controlSequenceOfOperation: Thermostat.ControlSequenceOfOperation.CoolingAndHeating,
        systemMode: Thermostat.SystemMode.Heat,
      },
    }),
  ],
  blind: () => [
    new Endpoint(WindowCoveringDevice.with(WindowCoveringServer.with("Lift", "PositionAwareLift")), {
      id: "blind",
      windowCovering: { currentPositionLiftPercent100ths: 0, targetPositionLiftPercent100ths: 0 },
    }),
  ],
  lock: () => [
    new Endpoint(DoorLockDevice, {
      id: "lock",
      doorLock: {
        lockState: 1,
        lockType: 0,
        actuatorEnabled: true,
        operatingMode: DoorLock.OperatingMode.Normal,
        supportedOperatingModes: {},
        ...LOCK_LIMITS,
      },
    }),
  ],
  fan: () => [
    new Endpoint(FanDevice.with(FanControlServer.with("MultiSpeed")), {
      id: "fan",
      fanControl: {
        fanModeSequence: FanControl.FanModeSequence.OffLowMedHigh,
        fanMode: FanControl.FanMode.Off,
        percentSetting: 0,
        percentCurrent: 0,
        speedMax: 3,
        speedSetting: 0,
        speedCurrent: 0,
      },
    }),
  ],
  bridge: () => {
    const bridged = (id: string, reachable = true) => ({
      id,
      bridgedDeviceBasicInformation: { nodeLabel: `Bridged ${id}`, productName: "Bulb", uniqueId: id, reachable },
    });
    return [
      new Endpoint(AggregatorEndpoint, {
        id: "aggregator",
        parts: [
          new Endpoint(DimmableLightDevice.with(BridgedDeviceBasicInformationServer), {
            ...bridged("hall"),
            levelControl: { currentLevel: 100 },
          }),
          new Endpoint(ContactSensorDevice.with(BridgedDeviceBasicInformationServer), {
            ...bridged("door"),
            booleanState: { stateValue: true },
          }),
        ],
      }),
    ];
  },
};

Environment.default.vars.set("storage.path", folder);
Logger.level = LogLevel.ERROR;
const node = await ServerNode.create({
  id: "device",
  network: { port: Number(process.env.MATTER_DEVICE_PORT ?? 0) },
  commissioning: { passcode: 20_202_021, discriminator: Number(discriminator) },
  basicInformation: {
    vendorName: "Acme",
    vendorId: VendorId(0xfff1),
    productName: `Acme ${kind}`,
    productLabel: kind,
    productId: 0x8000,
    serialNumber: `S-${kind}-${discriminator}`,
    uniqueId: `u-${kind}-${discriminator}`,
    softwareVersionString: "1.2.3",
    softwareVersion: 1,
    hardwareVersion: 1,
  },
});
const make = KINDS[kind];
if (make === undefined) throw new Error(`no such kind: ${kind}`);
const endpoints = new Map<string, Endpoint>();
for (const endpoint of make()) {
  await node.add(endpoint);
  for (const one of [endpoint, ...endpoint.parts]) endpoints.set(one.id, one);
}

/** A request of the parent. */
interface Order {
  readonly endpoint?: string;
  readonly set?: Record<string, Record<string, unknown>>;
  readonly get?: boolean;
  readonly storm?: {
    readonly count: number;
    readonly cluster: string;
    readonly attribute: string;
    readonly values: readonly unknown[];
  };
}

process.on("message", (order: Order) => {
  const endpoint = endpoints.get(order.endpoint ?? "") ?? [...endpoints.values()][0];
  if (endpoint === undefined) return;
  const set = (values: Record<string, Record<string, unknown>>): Promise<void> => endpoint.set(values);
  void (async () => {
    if (order.set !== undefined) await set(order.set);
    if (order.storm !== undefined) {
      const { count, cluster, attribute, values } = order.storm;
      for (let index = 0; index < count; index++)
        await set({ [cluster]: { [attribute]: values[index % values.length] } });
    }
    const fabrics = Object.keys(node.state.commissioning.fabrics).length;
    process.send?.({ done: true, fabrics, state: order.get === true ? plain(endpoint.state) : null });
  })();
});
process.on("disconnect", () => process.exit(0));

await node.start();
const { manualPairingCode, qrPairingCode } = node.state.commissioning.pairingCodes;
process.send?.({ ready: { manual: manualPairingCode, qr: qrPairingCode, port: node.state.network.operationalPort } });

/** A state that can be sent: integers beyond 2^53 as text. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member)),
  );
}
