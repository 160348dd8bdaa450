import type { RouteSpec } from "../../core/api/route.ts";
import type { BoundRoute } from "../../core/http/exchange.ts";
import type { AppPairing } from "../access/app-pairing.ts";
import { type AccountService, accountRoutes } from "../access/routes/account.ts";
import { appPairingRoutes } from "../access/routes/pairing.ts";
import { type AutomationService, automationRoutes } from "../automations/routes/automations.ts";
import { type DeviceService, deviceRoutes } from "../devices/routes/devices.ts";
import { type RoomService, roomRoutes } from "../devices/routes/rooms.ts";
import { type EstateService, estateRoutes } from "../estate/routes/estate.ts";
import { type EventService, eventRoutes } from "../feed/routes/events.ts";
import { type PlateRuleService, plateRuleRoutes } from "../gate/routes/plate-rules.ts";
import { type PlateService, plateRoutes } from "../gate/routes/plates.ts";
import { type OccupancyService, type VehicleService, vehicleRoutes } from "../gate/routes/vehicles.ts";
import { type SceneService, sceneRoutes } from "../scenes/routes/scenes.ts";
import { householdMetricsRoutes } from "../series/routes/console-series.ts";
import { type TelemetryService, telemetryRoutes } from "../telemetry/routes/telemetry.ts";
import { referenceRoutes } from "./routes/reference.ts";
import { type StreamService, streamRoutes } from "./routes/stream.ts";

/** Everything that the contract's operations ask of the hub; plain functions, joined in `hub.ts`. */
export interface V1Services {
  readonly account: AccountService;
  readonly devices: DeviceService;
  readonly telemetry: TelemetryService;
  /** The present values of a household for a scraper; null where none may fetch them. */
  readonly metricsText: (siteId: number) => Promise<string | null>;
  readonly rooms: RoomService;
  readonly scenes: SceneService;
  readonly automations: AutomationService;
  readonly events: EventService;
  readonly plates: PlateService;
  readonly vehicles: VehicleService;
  readonly occupancy: OccupancyService;
  readonly plateRules: PlateRuleService;
  readonly estate: EstateService;
  readonly stream: StreamService;
  readonly appPairing: Pick<AppPairing, "begin" | "fetch">;
}

/**
 * The 24 operations of the contract and what is ours beyond them, with the OpenAPI file and the reference page made
 * from them.
 */
export function v1Routes(services: V1Services): BoundRoute[] {
  const operations = [
    ...accountRoutes(services.account),
    ...deviceRoutes(services.devices),
    ...telemetryRoutes(services.telemetry),
    ...householdMetricsRoutes(services.metricsText),
    ...roomRoutes(services.rooms),
    ...sceneRoutes(services.scenes),
    ...automationRoutes(services.automations),
    ...eventRoutes(services.events),
    ...plateRoutes(services.plates),
    ...vehicleRoutes(services.vehicles, services.occupancy),
    ...plateRuleRoutes(services.plateRules),
    ...estateRoutes(services.estate),
    ...streamRoutes(services.stream),
    ...appPairingRoutes(services.appPairing),
  ];
  return [...operations, ...referenceRoutes(specsOf(operations))];
}

function specsOf(routes: readonly BoundRoute[]): RouteSpec[] {
  return routes.map(({ spec }) => spec);
}
