import { holds } from "../../../core/api/caller.ts";
import type { Command } from "../../../core/api/resources/command.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { checkIfMatch, objectTag } from "../../../core/http/middleware/conditional.ts";
import { ResponseCache } from "../../../core/http/response-cache.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { getCommand } from "../api/commands.ts";
import { getDevice, listDevices, sendCommand, updateDevice } from "../api/devices.ts";
import type { CommandOutcome } from "../command-outcome.ts";
import type { Commands } from "../commands.ts";
import type { Device } from "../device.ts";
import type { DeviceRegistry } from "../registry.ts";
import type { Device as DeviceResource } from "../resources/device.ts";

/** The device routes of /v1. */
export function deviceRoutes(registry: DeviceRegistry, commands: Commands): BoundRoute[] {
  const lists = new ResponseCache<"devices", Device, DeviceResource>();
  return [
    bind(listDevices, ({ caller: { siteId }, query }) => {
      const key = `${siteId} ${JSON.stringify(query)}`;
      return lists.list(key, {
        name: "devices",
        items: () => registry.list(siteId, query),
        shown,
        version: () => registry.version(siteId),
      });
    }),
    bind(getDevice, ({ caller, params }) => answer(registry.get(caller.siteId, params.id))),
    bind(updateDevice, async ({ caller, params, body, facts }) => {
      const device = await registry.edit(caller.siteId, params.id, body, (current) =>
        checkIfMatch(facts.headers["if-match"], () => editedTag(current)),
      );
      return answer(device);
    }),
    bind(sendCommand, async ({ caller, params, bodyText }) => {
      const { siteId, actor } = caller;
      registry.get(siteId, params.id);
      const source = caller.method === "session" ? "console" : "api";
      const { commandId, command } = await commands.send({
        siteId,
        deviceId: params.id,
        command: bodyText,
        actor,
        source,
      });
      return { status: 202, bytes: accepted(params.id, command, commandId) };
    }),
    bind(getCommand, ({ caller, params }) => {
      const mayReadAll = holds(caller, "devices:read");
      if (!mayReadAll && !holds(caller, "devices:control")) {
        const message = "The credential lacks the scope devices:read.";
        throw new Problem("insufficient_scope", message, {
          fields: { requiredScope: "devices:read", keyScopes: caller.scopes },
        });
      }
      const outcome = commands.outcome(caller.siteId, params.id);
      if (!mayReadAll && outcome.actor !== caller.actor)
        throw new Problem("command_not_found", "There is no such command.");
      return { status: 200, body: { command: shownOutcome(outcome) } };
    }),
  ];
}

/**
 * The 202 with the command exactly as it was forwarded: parsing and serialising would change long integers and repeated
 * members.
 */
function accepted(deviceId: string, command: string, commandId: number): Buffer {
  return Buffer.from(
    `{"accepted":true,"deviceId":${JSON.stringify(deviceId)},"command":${command},"commandId":${commandId}}`,
  );
}

function answer(device: Device) {
  const resource = shown(device);
  return { status: 200 as const, body: { device: resource }, etag: tagOf(resource) };
}

/**
 * The members that a client edits, then those it may wait for; the time a device was last seen and its signal are in
 * neither.
 */
function tagOf({ name, room, favorite, lastSeen: _, signal: __, battery: ___, ...rest }: DeviceResource): string {
  return objectTag({ name, room, favorite }, rest);
}

/** The part of it that If-Match compares. */
function editedTag({ name, room, favorite }: Pick<Device, "name" | "room" | "favorite">): string {
  return objectTag({ name, room, favorite });
}

/** A device in the shape of the contract. */
export function shown(device: Device): DeviceResource {
  return {
    id: device.id,
    name: device.name,
    type: device.type,
    room: device.room,
    favorite: device.favorite,
    online: device.online,
    lastSeen: isoTimeOrNull(device.lastSeen),
    firmware: device.firmware,
    state: device.state,
    model: device.model,
    manufacturer: device.manufacturer,
    createdAt: isoTime(device.createdAt),
    stateAt: isoTimeOrNull(device.stateAt),
    signal: device.signal,
    battery: device.battery,
    capabilities: device.capabilities,
    ...(device.contact === null ? {} : { contact: device.contact }),
    simulated: device.simulated,
  };
}

function shownOutcome({
  id,
  deviceId,
  status,
  reason,
  at,
  expiresAt,
  acknowledgedAt,
  answeredAt,
  changed,
}: CommandOutcome): Command {
  return {
    id,
    deviceId,
    status,
    reason,
    at: isoTime(at),
    expiresAt: isoTime(expiresAt),
    acknowledgedAt: isoTimeOrNull(acknowledgedAt),
    answeredAt: isoTimeOrNull(answeredAt),
    changed: changed === null ? null : [...changed],
  };
}
