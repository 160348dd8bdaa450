import { Type } from "typebox";
import { person } from "../../../core/api/console-common.ts";
import { cursor, integerId, limit, nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { ListedItem } from "../resources/feed-item.ts";

/** `GET /api/activity`. */
export const listActivity = defineRoute({
  method: "GET",
  path: "/api/activity",
  operationId: "listActivity",
  tag: "Feed",
  summary: "What happened, narrowed to a part or a person",
  description:
    "Newest first. Without `of`, what devices and rules did by themselves is left out. Of `all`, it is a list of its own: however much of it there is, the page has `limit` other items, if there are so many.",
  access: person,
  proof: "none",
  query: Type.Object({
    of: Type.Optional(oneOf(["all", "device", "plate", "automation", "security"])),
    person: Type.Optional(integerId({ description: "Only what this person did." })),
    limit: limit(200, 50),
    cursor,
  }),
  responses: {
    200: {
      description: "A page.",
      schema: Type.Object(
        {
          activity: Type.Object(
            {
              events: Type.Array(ListedItem, { description: "Newest first." }),
              byItself: Type.Array(ListedItem, {
                description:
                  "What devices and rules did by themselves in the time of this page, newest first; at most 200. Empty unless `of` is `all`.",
              }),
              next: nullable(Type.String(), { description: "The `cursor` of the next page; null: this is the last." }),
            },
            { title: "ActivityPage" },
          ),
        },
        { title: "ActivityAnswer" },
      ),
    },
  },
});
