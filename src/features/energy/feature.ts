import type { Base } from "../../core/base.ts";
import type { Feature } from "../../core/feature.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import { HouseholdEnergy } from "./energy.ts";
import { energyRoutes } from "./routes/console-energy.ts";

/** The household's energy use and its cost. */
export class EnergyFeature implements Feature {
  readonly energy: HouseholdEnergy;
  readonly #access: AccessFeature;
  readonly #devices: DevicesFeature;

  constructor(
    base: Base,
    {
      access,
      devices,
      telemetry: { telemetry },
    }: { readonly access: AccessFeature; readonly devices: DevicesFeature; readonly telemetry: TelemetryFeature },
  ) {
    const { registry } = devices;
    this.#access = access;
    this.#devices = devices;
    this.energy = new HouseholdEnergy(base, { registry, telemetry, accounts: access.accounts });
  }

  get console() {
    return energyRoutes({
      energy: this.energy,
      registry: this.#devices.registry,
      audited: this.#access.audited,
    });
  }
}
