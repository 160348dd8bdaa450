import { type Static, Type } from "typebox";
import { FEED_KINDS } from "../../../core/api/feed-kinds.ts";
import { dateTime, freeObject, integerId, nullable } from "../../../core/api/fields.ts";

/** An item of the activity feed (docs/spec/device-control-api.md §2). */
export const FeedItem = Type.Object(
  {
    id: integerId(),
    deviceId: nullable(Type.String()),
    kind: Type.String({
      description: `What happened. An open list; show unknown kinds by their title. Known: ${FEED_KINDS.join(", ")}.`,
      examples: ["device.online"],
    }),
    title: Type.String(),
    body: Type.String({ description: "May be empty, never null." }),
    words: Type.Optional(
      freeObject({
        description:
          "The same in a form that other languages are made from: `code` and the values that stand in title and body. Absent where there is none.",
        examples: [{ code: "device.online", name: "Porch light" }],
      }),
    ),
    read: Type.Boolean({ description: "Whether the account holder has seen it in the console." }),
    at: dateTime(),
  },
  { title: "FeedItem" },
);

/** An item in the console's lists, with what ties it to others of the same event and what is shown with it. */
export const ListedItem = Type.Object(
  {
    ...FeedItem.properties,
    readId: nullable(Type.Integer(), { description: "The plate read that it tells of." }),
    cameraId: nullable(Type.String(), { description: "The camera whose picture goes with it." }),
    becauseOf: nullable(Type.String(), { description: "The device that set off the rule that it tells of." }),
  },
  { title: "ListedItem" },
);

/** An item of the console's lists. */
export type ListedItem = Static<typeof ListedItem>;
