import type { Clock } from "../../core/kernel/clock.ts";
import type { SettingsStore } from "../../core/settings/store.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Access } from "../access/access.ts";
import type { Automations } from "../automations/automations.ts";
import type { Backups } from "../backups/backups.ts";
import type { BridgeClients } from "../bridge/clients.ts";
import type { ExpectedDevices } from "../bridge/expected-devices.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { Rooms } from "../devices/rooms.ts";
import type { EstateEntry } from "../estate/entry.ts";
import type { CameraSettings } from "../gate/camera-settings.ts";
import type { GateChoices } from "../gate/gate-choices.ts";
import type { PlateRules } from "../gate/plate-rules.ts";
import type { Scenes } from "../scenes/scenes.ts";
import type { WebhookRegistry } from "../webhooks/registry.ts";
import type { UnprintedResults } from "./unprinted.ts";

/** The parts of a hub that a document sets up. */
export interface ProvisionServices {
  readonly database: Database;
  readonly access: Access;
  readonly clock: Clock;
  readonly devices: DeviceRegistry;
  readonly rooms: Rooms;
  readonly scenes: Scenes;
  readonly webhooks: WebhookRegistry;
  readonly cameras: CameraSettings;
  readonly plateRules: PlateRules;
  readonly gateChoices: Pick<GateChoices, "put" | "portable">;
  readonly automations: Automations;
  readonly clients: BridgeClients;
  readonly expected: ExpectedDevices;
  readonly settings: SettingsStore;
  readonly backups: Backups;
  readonly unprinted: UnprintedResults;
  readonly estate: EstateEntry;
}

/** What happened to one part or entry of a document. */
export type Change = "made" | "changed" | "none";
