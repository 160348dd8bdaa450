import { Type } from "typebox";
import { session } from "../../../core/api/console-common.ts";
import { closed, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const GoingDown = {
  restarts: Type.Boolean({ description: "The hub restarts by itself now; false: start it again by hand." }),
};

/** `POST /api/restart`. */
export const restartHub = defineRoute({
  method: "POST",
  path: "/api/restart",
  operationId: "restartHub",
  tag: "System",
  summary: "Restart the hub",
  description: "For settings that wait for it. Where nothing would start the hub again it goes on running.",
  access: session,
  proof: "fresh",
  responses: { 202: { description: "What happens now.", schema: Type.Object(GoingDown, { title: "RestartAnswer" }) } },
});

/** `POST /api/reset`. */
export const factoryReset = defineRoute({
  method: "POST",
  path: "/api/reset",
  operationId: "factoryReset",
  tag: "System",
  summary: "Make the box as new",
  description:
    "Deletes everything of this hub: devices, history, pictures, rules, persons, keys, settings, and the backups on the box itself. It happens when the hub starts next. `site` is the site's name, typed as it is shown.",
  access: session,
  proof: "fresh",
  body: Type.Object({ site: text(120) }, { ...closed, title: "FactoryReset" }),
  responses: {
    202: {
      description: "The hub goes down.",
      schema: Type.Object(GoingDown, { title: "FactoryResetAnswer" }),
    },
  },
});
