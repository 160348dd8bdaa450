import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import type { Audited } from "../../access/routes/console-audit.ts";
import {
  createDevice,
  editDevice,
  getDeviceOrder,
  listAwaited,
  listCommands,
  listRefusals,
  orderDevices,
  removeDevice,
  renewDevicePassword,
} from "../api/console-devices.ts";
import type { Commands } from "../commands.ts";
import type { DeviceOrder } from "../order.ts";
import type { Presence } from "../presence.ts";
import type { DeviceRegistry } from "../registry.ts";
import { shown } from "./devices.ts";

/** Messages of one device that the broker refused for one reason. */
interface Refusal {
  readonly reason: string;
  readonly count: number;
  /** Epoch milliseconds. */
  readonly lastAt: number;
  readonly lastTopic: string;
  readonly lastExample: string | null;
}

/** Adding, changing and removing devices, their passwords, their commands and their refusals. */
export function deviceManagementRoutes({
  registry,
  commands,
  order,
  presence,
  audited,
}: {
  readonly registry: DeviceRegistry;
  readonly commands: Commands;
  readonly order: DeviceOrder;
  readonly presence: Presence;
  readonly audited: Audited;
}): BoundRoute[] {
  return [
    bind(createDevice, async ({ caller, body }) => {
      const { id, password } = await audited.job(caller, (note) => {
        const made = registry.insert(caller.siteId, body);
        note("device.created", made.id, { type: body.type });
        return made;
      });
      return {
        status: 201,
        body: { device: shown(registry.get(caller.siteId, id)), password: password ?? "" },
      };
    }),
    bind(editDevice, async ({ caller, params, body }) => {
      await audited.job(caller, (note) => {
        const { name } = registry.get(caller.siteId, params.id);
        registry.update(caller.siteId, params.id, body);
        note("device.edited", params.id, { ...body, ...(body.name === undefined ? {} : { before: { name } }) });
      });
      return { status: 200, body: { device: shown(registry.get(caller.siteId, params.id)) } };
    }),
    bind(removeDevice, async ({ caller, params }) => {
      const { name } = registry.get(caller.siteId, params.id);
      await registry.remove(caller.siteId, params.id, () =>
        audited.line(caller)("device.removed", params.id, { name }),
      );
      return { status: 200, body: { done: true } };
    }),
    bind(renewDevicePassword, async ({ caller, params }) => {
      const password = await audited.job(caller, (note) => {
        note("device.password_renewed", params.id);
        return registry.newPassword(caller.siteId, params.id);
      });
      return { status: 200, body: { password } };
    }),
    bind(getDeviceOrder, ({ caller }) => ({ status: 200, body: { ids: order.list(caller.siteId) } })),
    bind(listAwaited, ({ caller }) => ({ status: 200, body: { ids: presence.awaited(caller.siteId) } })),
    bind(orderDevices, async ({ caller, body }) => {
      await order.set(caller.siteId, body.ids);
      return { status: 200, body: { ids: order.list(caller.siteId) } };
    }),
    bind(listCommands, ({ caller, params, query }) => {
      registry.get(caller.siteId, params.id);
      const { limit = 50, before } = query;
      const page = commands.list(
        caller.siteId,
        params.id,
        before === undefined ? { limit } : { limit, beforeId: before },
      );
      return { status: 200, body: { commands: page.map(shownCommand) } };
    }),
    bind(listRefusals, ({ caller, params }) => {
      registry.get(caller.siteId, params.id);
      const newestFirst = [...commands.refusals(params.id)].sort((a, b) => b.lastAt - a.lastAt);
      return { status: 200, body: { refusals: newestFirst.map(shownRefusal) } };
    }),
  ];
}

function shownCommand({
  deviceId: _device,
  at,
  deliveredAt,
  answeredAt,
  ...rest
}: ReturnType<Commands["list"]>[number]) {
  return { ...rest, at: isoTime(at), deliveredAt: isoTimeOrNull(deliveredAt), answeredAt: isoTimeOrNull(answeredAt) };
}

function shownRefusal({ reason, count, lastAt, lastTopic, lastExample }: Refusal) {
  return { reason, count, lastAt: isoTime(lastAt), topic: lastTopic, example: lastExample };
}
