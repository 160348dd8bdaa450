import { type Static, Type } from "typebox";
import { dateTime, nullable, oneOf } from "../../../core/api/fields.ts";
import { DECISIONS } from "../../gate/resources/plate-read.ts";
import { Occupancy } from "../../gate/resources/vehicle.ts";

const Hub = Type.Object({ id: Type.String(), name: Type.String() }, { title: "EstateHub" });

/** A pass at a gate of the estate. */
export const EstateSighting = Type.Object(
  {
    id: Type.String({ description: "Unique in the estate.", examples: ["north.1772366400000"] }),
    hub: Hub,
    part: Type.String({ description: "Part of the site that the hub guards." }),
    deviceId: Type.String({ description: "The camera, at its hub." }),
    camera: Type.String({ description: "Its name." }),
    plate: Type.String({ description: "Normalised." }),
    formatted: Type.String(),
    decision: oneOf(DECISIONS),
    direction: nullable(oneOf(["in", "out"])),
    confidence: Type.Integer({ minimum: 0, maximum: 100 }),
    label: Type.String({ description: "Of the rule that decided; may be empty." }),
    at: dateTime({ description: "By the estate's clock." }),
  },
  { title: "EstateSighting" },
);

/** A pass as the API returns it. */
export type EstateSighting = Static<typeof EstateSighting>;

/** A visit that began and ended at whichever gates. */
export const EstateVisit = Type.Object(
  {
    part: Type.String(),
    entryAt: nullable(dateTime()),
    exitAt: nullable(dateTime()),
    entryHub: nullable(Hub),
    exitHub: nullable(Hub),
    status: oneOf(["open", "closed", "entry_missed", "exit_missed"]),
    staySeconds: nullable(Type.Integer({ minimum: 0 })),
  },
  { title: "EstateVisit" },
);

/** A visit as the API returns it. */
export type EstateVisit = Static<typeof EstateVisit>;

/** How full the estate is. */
export const EstateOccupancy = Type.Object(
  {
    estate: Occupancy,
    parts: Type.Array(
      Type.Object(
        {
          part: Type.String(),
          name: Type.String(),
          inside: Type.Integer({ minimum: 0 }),
          capacity: nullable(Type.Integer({ minimum: 0 })),
          free: nullable(Type.Integer({ minimum: 0 })),
          full: Type.Boolean(),
          percent: nullable(Type.Integer({ minimum: 0 })),
        },
        { title: "PartOccupancy" },
      ),
    ),
    currentAt: nullable(dateTime(), {
      description: "Until when this hub knows of all gates; now, where it is joined and has everything.",
    }),
  },
  { title: "EstateOccupancy" },
);
