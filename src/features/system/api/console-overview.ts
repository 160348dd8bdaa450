import { Type } from "typebox";
import { person } from "../../../core/api/console-common.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { getSite } from "../../access/api/console-site.ts";
import { getDeviceOrder, listAwaited } from "../../devices/api/console-devices.ts";
import { listDevices } from "../../devices/api/devices.ts";
import { listRooms } from "../../devices/api/rooms.ts";
import { getEnergySettings } from "../../energy/api/console-energy.ts";
import { listActivity } from "../../feed/api/activity.ts";
import { listInside, listReads } from "../../gate/api/console-reads.ts";
import { getOccupancy } from "../../gate/api/vehicles.ts";
import { getHouse } from "../../house/api/console-house.ts";
import { countNotifications } from "../../notifications/api/console-notifications.ts";
import { listScenes } from "../../scenes/api/scenes.ts";
import { getHints } from "./console-hints.ts";

/**
 * The operations whose responses `GET /api/overview` combines, by their place in it. Each is open to every person: a
 * member's session has the scopes of those under /v1.
 */
export const OVERVIEW = {
  devices: listDevices,
  deviceOrder: getDeviceOrder,
  awaited: listAwaited,
  rooms: listRooms,
  scenes: listScenes,
  activity: listActivity,
  reads: listReads,
  inside: listInside,
  occupancy: getOccupancy,
  site: getSite,
  notifications: countNotifications,
  energy: getEnergySettings,
  house: getHouse,
  hints: getHints,
} as const;

/** `GET /api/overview`. */
export const getOverview = defineRoute({
  method: "GET",
  path: "/api/overview",
  operationId: "getOverview",
  tag: "Site",
  summary: "Everything that a first view shows",
  description:
    "The answers of many operations in one, each as it is without parameters: a browser's request costs more than most of what they read.",
  access: person,
  proof: "none",
  responses: {
    200: {
      description: "Each answer under a name of its own.",
      schema: Type.Object(
        {
          facts: Type.String({
            description:
              "How far the household's facts had come before anything else here was read; see `GET /api/standing`.",
          }),
          devices: OVERVIEW.devices.responses[200].schema,
          deviceOrder: OVERVIEW.deviceOrder.responses[200].schema,
          awaited: OVERVIEW.awaited.responses[200].schema,
          rooms: OVERVIEW.rooms.responses[200].schema,
          scenes: OVERVIEW.scenes.responses[200].schema,
          activity: OVERVIEW.activity.responses[200].schema,
          reads: OVERVIEW.reads.responses[200].schema,
          inside: OVERVIEW.inside.responses[200].schema,
          occupancy: OVERVIEW.occupancy.responses[200].schema,
          site: OVERVIEW.site.responses[200].schema,
          notifications: OVERVIEW.notifications.responses[200].schema,
          energy: OVERVIEW.energy.responses[200].schema,
          house: OVERVIEW.house.responses[200].schema,
          hints: OVERVIEW.hints.responses[200].schema,
        },
        { title: "Overview" },
      ),
    },
  },
});
