import { CameraTable } from "./tables/camera.ts";
import { GateChoiceTable } from "./tables/gate-choice.ts";
import { GateContactTable } from "./tables/gate-contact.ts";
import { GuestPassTable } from "./tables/guest-pass.ts";
import { LanePassTable } from "./tables/lane-pass.ts";
import { OpeningTable } from "./tables/opening.ts";
import { PlateCaptureTable } from "./tables/plate-capture.ts";
import { PlateImageTable } from "./tables/plate-image.ts";
import { PlateReadTable } from "./tables/plate-read.ts";
import { PlateRuleTable, type RuleBase } from "./tables/plate-rule.ts";
import { PlateSampleTable } from "./tables/plate-sample.ts";
import { SeenReadTable } from "./tables/seen-read.ts";
import { ShownGlanceTable } from "./tables/shown-glance.ts";
import { VehicleTable } from "./tables/vehicle.ts";
import { VisitTable } from "./tables/visit.ts";

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
  readonly lanes: LanePassTable;
  readonly glances: ShownGlanceTable;
}

/** Makes them for one database; statements are prepared at first use. */
export function gateTables(base: RuleBase): GateTables {
  const { database } = base;
  return {
    cameras: new CameraTable(database),
    reads: new PlateReadTable(database),
    captures: new PlateCaptureTable(database),
    images: new PlateImageTable(database),
    samples: new PlateSampleTable(database),
    visits: new VisitTable(database),
    vehicles: new VehicleTable(database),
    rules: new PlateRuleTable(base),
    openings: new OpeningTable(database),
    passes: new GuestPassTable(database),
    seen: new SeenReadTable(database),
    contacts: new GateContactTable(database),
    choices: new GateChoiceTable(database),
    lanes: new LanePassTable(database),
    glances: new ShownGlanceTable(database),
  };
}
