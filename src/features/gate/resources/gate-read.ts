import { type Static, Type } from "typebox";
import { dateTime, integerId, nullable, oneOf } from "../../../core/api/fields.ts";
import { PlateRead } from "./plate-read.ts";

/** A sighting as the console's day at the gate shows it. */
export const GateRead = Type.Object(
  {
    ...PlateRead.properties,
    box: nullable(
      Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
        minItems: 4,
        maxItems: 4,
        description: "Where the plate is in the picture: left, top, right, bottom as shares of width and height.",
      }),
    ),
    opens: nullable(Type.String(), { description: "The gate that this camera opens now; null: none." }),
    passed: oneOf(["seen", "assumed", "unknown", "no"], {
      description:
        "Whether it went through. `seen`: a camera behind the gate saw it, or it was seen to leave later. `assumed`: the gate opened for it. `unknown`: this camera opens no gate.",
    }),
    gateWasOpen: Type.Boolean({
      description: "The gate stood open, or moved, when it came: the camera's, or else the household's only one.",
    }),
    gateWasShut: Type.Boolean({ description: "That gate was known to be shut. Neither: nobody knows." }),
    gateOpenSince: nullable(dateTime(), { description: "Since when it stood open, where that is known." }),
    asked: nullable(
      Type.Object({
        at: nullable(dateTime()),
        by: nullable(Type.String(), { description: "Name of who answered; null: nobody, or nobody knows the name." }),
        answeredAt: nullable(dateTime(), { description: "Null: nobody answered." }),
      }),
      { description: "Somebody was asked whether it may come in." },
    ),
    openedAfter: nullable(
      Type.Object({
        by: Type.Object({
          kind: oneOf(["person", "key", "automation", "scene", "plate", "device", "hub"]),
          name: nullable(Type.String()),
        }),
        at: dateTime(),
      }),
      { description: "Who opened the gate otherwise within five minutes, before another vehicle came." },
    ),
    listedNow: nullable(oneOf(["allow", "deny", "watch"]), {
      description: "The list that its plate is on now, for this camera; null: on none.",
    }),
    correction: nullable(
      Type.Object({
        by: nullable(Type.String(), { description: "Name; null where nobody knows it any more." }),
        saw: Type.String({ description: "What the camera saw; empty: nothing that could be a plate." }),
      }),
      { description: "A person has put the plate right." },
    ),
  },
  { title: "GateRead" },
);

/** A sighting as answers carry it. */
export type GateRead = Static<typeof GateRead>;

/** A read with the bursts of its pass. */
export const GateReadInFull = Type.Object(
  {
    ...GateRead.properties,
    captures: Type.Array(
      Type.Object(
        {
          captureId: Type.Integer(),
          trigger: oneOf(["motion", "loop", "manual", "periodic"]),
          at: dateTime(),
          direction: nullable(oneOf(["in", "out"])),
          confidence: Type.Integer({ minimum: 0, maximum: 100 }),
          votes: Type.Integer({ minimum: 0 }),
          samples: Type.Integer({ minimum: 0 }),
        },
        { title: "PlateCapture" },
      ),
      { description: "Bursts that were taken for one pass, the first one first; of a long pass the latest 100." },
    ),
  },
  { title: "GateReadInFull" },
);

/** Sightings, and the vehicles among them. */
export const ReadCount = Type.Object(
  {
    passes: Type.Integer({ minimum: 0, description: "Sightings; at most 10,000 are counted." }),
    cars: Type.Integer({ minimum: 0, description: "Different plates among them." }),
    unread: Type.Integer({ minimum: 0, description: "Sightings whose plate could not be read." }),
  },
  { title: "ReadCount" },
);

/** Sightings of one hour. */
export const ReadHour = Type.Object(
  {
    from: dateTime({ description: "The first moment of the hour, counted from the start of the range." }),
    allow: Type.Integer({ minimum: 0 }),
    deny: Type.Integer({ minimum: 0 }),
    watch: Type.Integer({ minimum: 0 }),
    unknown: Type.Integer({ minimum: 0, description: "Read, and on no list." }),
    unread: Type.Integer({ minimum: 0, description: "Pictures in which no plate could be read." }),
  },
  { title: "ReadHour" },
);

/** A vehicle whose visit goes on. */
export const VehicleInside = Type.Object(
  {
    visitId: integerId(),
    plate: Type.String(),
    formatted: Type.String(),
    label: Type.String({ description: "Of the rule that decided, such as whose vehicle it is. May be empty." }),
    since: dateTime(),
    how: oneOf(["let_in", "seen_inside", "at_gate"], {
      description:
        "`let_in`: the gate opened for it. `seen_inside`: a camera behind the gate saw it. `at_gate`: it was seen at the gate, and nothing shows that it went through.",
    }),
    usualStaySeconds: nullable(Type.Integer({ minimum: 0 }), {
      description: "The middle one of its latest stays that were seen to end; null: they are too few.",
    }),
    mayHaveLeftFrom: dateTime({
      description: "From then on it has stayed longer than it usually does, or for a day if that is not known.",
    }),
  },
  { title: "VehicleInside" },
);

/** A vehicle that left without being seen. */
export const LeftUnseen = Type.Object(
  {
    visitId: integerId(),
    plate: Type.String(),
    formatted: Type.String(),
    label: Type.String(),
    since: nullable(dateTime(), { description: "When it came in." }),
  },
  { title: "LeftUnseen" },
);
