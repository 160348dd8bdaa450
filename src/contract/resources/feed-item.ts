import { type Static, Type } from "typebox";
import { FEED_KINDS } from "../feed-kinds.js";
import { dateTime, integerId, nullable } from "./fields.js";

/** An item of the activity feed (contract §2). */
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
    read: Type.Boolean({ description: "Whether the account holder has seen it in the console." }),
    at: dateTime(),
  },
  { title: "FeedItem" },
);

/** A feed item as answers carry it. */
export type FeedItem = Static<typeof FeedItem>;
