import type { AppPairing } from "../access/app-pairing.js";
import type { RouteSpec } from "../contract/route.js";
import type { BoundRoute } from "./exchange.js";
import { type AccountService, accountRoutes } from "./routes/account.js";
import { type AutomationService, automationRoutes } from "./routes/automations.js";
import { householdMetricsRoutes } from "./routes/console-series.js";
import { type DeviceService, deviceRoutes } from "./routes/devices.js";
import { type EstateService, estateRoutes } from "./routes/estate.js";
import { type EventService, eventRoutes } from "./routes/events.js";
import { gateQuestionRoutes, type QuestionService } from "./routes/gate-questions.js";
import { appPairingRoutes } from "./routes/pairing.js";
import { type PlateRuleService, plateRuleRoutes } from "./routes/plate-rules.js";
import { type PlateService, plateRoutes } from "./routes/plates.js";
import { referenceRoutes } from "./routes/reference.js";
import { type RoomService, roomRoutes } from "./routes/rooms.js";
import { type SceneService, sceneRoutes } from "./routes/scenes.js";
import { type StreamService, streamRoutes } from "./routes/stream.js";
import { type TelemetryService, telemetryRoutes } from "./routes/telemetry.js";
import { type OccupancyService, type VehicleService, vehicleRoutes } from "./routes/vehicles.js";

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
  readonly gateQuestions: QuestionService;
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
    ...gateQuestionRoutes(services.gateQuestions),
    ...estateRoutes(services.estate),
    ...streamRoutes(services.stream),
    ...appPairingRoutes(services.appPairing),
  ];
  return [...operations, ...referenceRoutes(specsOf(operations))];
}

function specsOf(routes: readonly BoundRoute[]): RouteSpec[] {
  return routes.map(({ spec }) => spec);
}
