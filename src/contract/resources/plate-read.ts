import { type Static, Type } from "typebox";
import { dateTime, integerId, nullable, oneOf } from "./fields.js";

/** Values of a read's decision. */
export const DECISIONS = ["allow", "deny", "watch", "unknown"] as const;

/** Values of a read's status. */
export const READ_STATUSES = ["recognised", "unrecognised"] as const;

/** One plate sighting (contract §2). */
export const PlateRead = Type.Object(
  {
    id: integerId(),
    deviceId: Type.String({ description: "The camera." }),
    captureId: Type.Integer({ description: "The burst of frames that this read comes from; several vehicles in one burst share it." }),
    plate: nullable(Type.String(), { description: "Normalised: capital letters and digits only." }),
    formatted: nullable(Type.String(), { description: "Grouped for display." }),
    confidence: Type.Integer({ minimum: 0, maximum: 100 }),
    votes: Type.Integer({ minimum: 0, description: "Frames of the burst that produced this plate." }),
    samples: Type.Integer({ minimum: 0, description: "Frames that the recogniser was run on." }),
    plateKind: oneOf(["standard", "bharat", "legacy", "unknown"]),
    status: oneOf(READ_STATUSES),
    reason: nullable(oneOf(["no_recogniser", "no_plate", "invalid_format", "timeout", "provider_error"]), {
      description: "Why an unrecognised read failed; null for a recognised one.",
    }),
    decision: oneOf(DECISIONS, { description: "Deny wins over allow, allow over watch; unknown when no rule in force names the plate." }),
    direction: nullable(oneOf(["in", "out"]), { description: "Null when it could not be resolved; never guessed." }),
    trigger: oneOf(["motion", "loop", "manual", "periodic"]),
    hasImage: Type.Boolean({ description: "False once the image has expired." }),
    imageUrl: nullable(Type.String({ format: "uri" })),
    at: dateTime(),
  },
  { title: "PlateRead" },
);

/** A read as answers carry it. */
export type PlateRead = Static<typeof PlateRead>;
