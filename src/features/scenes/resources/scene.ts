import { type Static, Type } from "typebox";
import { dateTime, freeObject, integerId, nullable, oneOf } from "../../../core/api/fields.ts";
import { HOUSE_MODES } from "../../../core/api/house.ts";

/** A scene: named commands that run together. */
export const Scene = Type.Object(
  {
    id: integerId(),
    name: Type.String({ examples: ["Good night"] }),
    icon: nullable(Type.String()),
    actions: Type.Array(
      Type.Object(
        {
          deviceId: Type.String(),
          command: freeObject({ description: "As for the command endpoint.", examples: [{ power: false }] }),
        },
        { title: "SceneStep" },
      ),
    ),
    enabled: Type.Boolean({
      description:
        "False where the owner who wrote it is an owner no more: nothing runs it until an owner has looked at it and saved it.",
    }),
    houseMode: Type.Optional(
      oneOf(HOUSE_MODES, {
        description: "An addition beyond the contract, only in scenes that have it: what it also sets the house to.",
      }),
    ),
    lastActivatedAt: nullable(dateTime()),
  },
  { title: "Scene" },
);

/** A scene as the API returns it. */
export type Scene = Static<typeof Scene>;
