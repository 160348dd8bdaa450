import type { Database } from "../../core/storage/database.js";
import { CameraTable } from "./tables/camera.js";
import { GateContactTable } from "./tables/gate-contact.js";
import { GuestPassTable } from "./tables/guest-pass.js";
import { OpeningTable } from "./tables/opening.js";
import { PlateCaptureTable } from "./tables/plate-capture.js";
import { PlateImageTable } from "./tables/plate-image.js";
import { PlateReadTable } from "./tables/plate-read.js";
import { PlateRuleTable } from "./tables/plate-rule.js";
import { SeenReadTable } from "./tables/seen-read.js";
import { VehicleTable } from "./tables/vehicle.js";
import { VisitTable } from "./tables/visit.js";

/** The tables that the parts of the gate share. */
export interface GateTables {
  readonly cameras: CameraTable;
  readonly reads: PlateReadTable;
  readonly captures: PlateCaptureTable;
  readonly images: PlateImageTable;
  readonly visits: VisitTable;
  readonly vehicles: VehicleTable;
  readonly rules: PlateRuleTable;
  readonly openings: OpeningTable;
  readonly passes: GuestPassTable;
  readonly seen: SeenReadTable;
  readonly contacts: GateContactTable;
}

/** Makes them for one database; statements are prepared at first use. */
export function gateTables(database: Database): GateTables {
  return {
    cameras: new CameraTable(database),
    reads: new PlateReadTable(database),
    captures: new PlateCaptureTable(database),
    images: new PlateImageTable(database),
    visits: new VisitTable(database),
    vehicles: new VehicleTable(database),
    rules: new PlateRuleTable(database),
    openings: new OpeningTable(database),
    passes: new GuestPassTable(database),
    seen: new SeenReadTable(database),
    contacts: new GateContactTable(database),
  };
}
