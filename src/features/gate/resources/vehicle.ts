import { type Static, Type } from "typebox";
import { dateTime, integerId, nullable, oneOf } from "../../../core/api/fields.ts";

/** A row of the vehicle register: one per distinct plate (docs/spec/device-control-api.md §2). */
export const Vehicle = Type.Object(
  {
    plate: Type.String(),
    formatted: Type.String(),
    passes: Type.Integer({
      minimum: 0,
      description: "Sightings; reads of one plate at one camera close together are one pass.",
    }),
    entries: Type.Integer({ minimum: 0 }),
    exits: Type.Integer({ minimum: 0 }),
    visits: Type.Integer({ minimum: 0 }),
    inside: Type.Boolean({ description: "True while a visit is open." }),
    firstSeen: dateTime(),
    lastSeen: dateTime(),
    averageStaySeconds: nullable(Type.Integer({ minimum: 0 }), {
      description: "Over closed visits; null when there is none.",
    }),
    totalStaySeconds: Type.Integer({ minimum: 0, description: "Over closed visits." }),
    cameras: Type.Array(Type.String(), { description: "Device ids of the cameras that saw the vehicle." }),
    list: nullable(oneOf(["allow", "deny", "watch"]), {
      description: "The list that decides for this plate now; null when it is on none.",
    }),
    label: nullable(Type.String()),
  },
  { title: "Vehicle" },
);

/** A register row as answers carry it. */
export type Vehicle = Static<typeof Vehicle>;

/** One visit of a vehicle (docs/spec/device-control-api.md §2). */
export const Visit = Type.Object(
  {
    id: integerId(),
    entryAt: nullable(dateTime()),
    exitAt: nullable(dateTime()),
    entryCamera: nullable(Type.String()),
    exitCamera: nullable(Type.String()),
    status: oneOf(["open", "closed", "entry_missed", "exit_missed"], {
      description: "A missed read is a normal state: pairing recovers at the next clean read.",
    }),
    staySeconds: nullable(Type.Integer({ minimum: 0 }), {
      description: "Null, never 0, when an entry or exit read was missed or the visit is open.",
    }),
  },
  { title: "Visit" },
);

/** A visit as answers carry it. */
export type Visit = Static<typeof Visit>;

/** One vehicle with its visits, newest first. */
export const VehicleHistory = Type.Object(
  {
    plate: Type.String(),
    formatted: Type.String(),
    passes: Type.Integer({ minimum: 0 }),
    inside: Type.Boolean(),
    totalStaySeconds: Type.Integer({ minimum: 0 }),
    visits: Type.Array(Visit, { description: "Newest first." }),
  },
  { title: "VehicleHistory" },
);

/** A vehicle's history as answers carry it. */
export type VehicleHistory = Static<typeof VehicleHistory>;

/** How full the site is (docs/spec/device-control-api.md §2). */
export const Occupancy = Type.Object(
  {
    inside: Type.Integer({ minimum: 0, description: "Open visits." }),
    capacity: nullable(Type.Integer({ minimum: 0 }), {
      description: "Null: capacity is not managed, which is different from 0.",
    }),
    free: nullable(Type.Integer({ minimum: 0 })),
    full: Type.Boolean({ description: "Reported only: the gate still opens for an allowed vehicle." }),
    percent: nullable(Type.Integer({ minimum: 0 }), { description: "May pass 100." }),
  },
  { title: "Occupancy" },
);

/** Occupancy as answers carry it. */
export type Occupancy = Static<typeof Occupancy>;
