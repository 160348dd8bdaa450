import { type Static, Type } from "typebox";
import { answer, session } from "../../../core/api/console-common.ts";
import { nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const WearCause = Type.Object(
  {
    cause: oneOf(["database", "pictures", "backups"], { description: "`database`: and all else of the hub." }),
    bytes: Type.Integer({ minimum: 0 }),
  },
  { title: "WearCause" },
);

const Wear = Type.Object(
  {
    device: nullable(Type.String({ description: "Block device under the data folder, such as `mmcblk0`." })),
    today: Type.Array(WearCause),
    days: Type.Array(
      Type.Object(
        {
          day: Type.String({ examples: ["2026-03-01"] }),
          hubBytes: Type.Integer({ minimum: 0 }),
          deviceBytes: nullable(Type.Integer({ minimum: 0 })),
        },
        { title: "WearDay" },
      ),
      { description: "Newest first." },
    ),
    budgetBytes: Type.Integer({ minimum: 0, description: "Setting box.dailyWriteMegabytes." }),
    lifetimeYears: nullable(
      Type.Number({
        description:
          "An estimate: card size × 300 full writes, by the average of the days. Null until a whole day was seen.",
      }),
    ),
    estimate: Type.String({ description: "The estimate in words, with what it rests on." }),
  },
  { title: "Wear" },
);

/** The writes to the card, day by day. */
export type Wear = Static<typeof Wear>;

/** `GET /api/storage/wear`. */
export const getWear = defineRoute({
  method: "GET",
  path: "/api/storage/wear",
  operationId: "getWear",
  tag: "System",
  summary: "What is written to the card each day, and how long it may last",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "Figures of the last days.",
      schema: answer("wear", Wear, "WearAnswer"),
    },
  },
});
