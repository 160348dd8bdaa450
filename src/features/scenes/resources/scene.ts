import { type Static, Type } from "typebox";
import { dateTime, freeObject, integerId, nullable } from "../../../core/api/fields.ts";

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
    lastActivatedAt: nullable(dateTime()),
  },
  { title: "Scene" },
);

/** A scene as answers carry it. */
export type Scene = Static<typeof Scene>;
