import type { Database } from "../storage/database.js";
import { CameraTable } from "../storage/tables/camera.js";
import { GateChoiceTable } from "../storage/tables/gate-choice.js";
import { GateContactTable } from "../storage/tables/gate-contact.js";
import { GuestPassTable } from "../storage/tables/guest-pass.js";
import { OpeningTable } from "../storage/tables/opening.js";
import { PlateCaptureTable } from "../storage/tables/plate-capture.js";
import { PlateImageTable } from "../storage/tables/plate-image.js";
import { PlateReadTable } from "../storage/tables/plate-read.js";
import { PlateRuleTable } from "../storage/tables/plate-rule.js";
import { PlateSampleTable } from "../storage/tables/plate-sample.js";
import { SeenReadTable } from "../storage/tables/seen-read.js";
import { VehicleTable } from "../storage/tables/vehicle.js";
import { VisitTable } from "../storage/tables/visit.js";

/** The tables that the parts of the gate share. */
export interface GateTables {
  readonly cameras: CameraTable;
  readonly reads: PlateReadTable;
  readonly captures: PlateCaptureTable;
  readonly images: PlateImageTable;
  readonly samples: PlateSampleTable;
  readonly visits: VisitTable;
  readonly vehicles: VehicleTable;
  readonly rules: PlateRuleTable;
  readonly openings: OpeningTable;
  readonly passes: GuestPassTable;
  readonly seen: SeenReadTable;
  readonly contacts: GateContactTable;
  readonly choices: GateChoiceTable;
}

/** Makes them for one database; statements are prepared at first use. */
export function gateTables(database: Database): GateTables {
  return {
    cameras: new CameraTable(database),
    reads: new PlateReadTable(database),
    captures: new PlateCaptureTable(database),
    images: new PlateImageTable(database),
    samples: new PlateSampleTable(database),
    visits: new VisitTable(database),
    vehicles: new VehicleTable(database),
    rules: new PlateRuleTable(database),
    openings: new OpeningTable(database),
    passes: new GuestPassTable(database),
    seen: new SeenReadTable(database),
    contacts: new GateContactTable(database),
    choices: new GateChoiceTable(database),
  };
}
