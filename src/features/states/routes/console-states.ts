import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { type Clock, DAY_MS, isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { csv } from "../../../core/kernel/csv.ts";
import { localTimes } from "../../../core/kernel/local-time.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { Accounts } from "../../access/accounts.ts";
import type { Device } from "../../devices/device.ts";
import type { DeviceRegistry } from "../../devices/registry.ts";
import { exportStates, getStates } from "../api/console-states.ts";
import { type Sender, senderFrom } from "../rules/sender.ts";
import type { StateHistory } from "../state-history.ts";

const LONGEST_MS = 31 * DAY_MS;

/** Knows the vehicles that gates opened for. */
interface PlateNames {
  plateOf(siteId: number, readId: number): string | null;
}

/** The routes of states under /api. */
export function stateRoutes({
  history,
  registry,
  accounts,
  clock,
  plates,
}: {
  readonly plates: PlateNames;
  readonly history: StateHistory;
  readonly registry: DeviceRegistry;
  readonly accounts: Accounts;
  readonly clock: Clock;
}): BoundRoute[] {
  const devicesOf = (siteId: number, deviceId: string | undefined): readonly Device[] =>
    deviceId === undefined ? registry.list(siteId) : [registry.get(siteId, deviceId)];
  /** Who caused a change; `names` holds the vehicles that were asked about before. */
  const senderIn = (siteId: number, stored: string | null, names: Map<number, string | null>): Sender | null => {
    const sender = senderFrom(stored);
    if (sender === null || sender.readId === null) return sender;
    if (!names.has(sender.readId)) names.set(sender.readId, plates.plateOf(siteId, sender.readId));
    return { ...sender, name: names.get(sender.readId) ?? null };
  };
  return [
    bind(getStates, async ({ caller, query }) => {
      const devices = devicesOf(caller.siteId, query.deviceId);
      const { from, to } = stretchOf(query, clock.now());
      const { lines, off, cutAt } = await history.read(
        devices.map(({ id }) => id),
        from,
        to,
      );
      const names = new Map<number, string | null>();
      const states = lines.map(({ deviceId, key, before, changes }) => ({
        deviceId,
        key,
        before: before === null ? null : { value: before.value, since: isoTime(before.since) },
        changes: changes.map(({ at, value, sender }) => ({
          ...{ at: isoTime(at), value },
          by: senderIn(caller.siteId, sender, names),
        })),
      }));
      const stretch = {
        from: isoTime(from),
        to: isoTime(to),
        timeZone: accounts.site(caller.siteId).timeZone,
        states,
        off: off.map((gap) => ({ from: isoTime(gap.from), to: isoTimeOrNull(gap.to) })),
        cutAt: isoTimeOrNull(cutAt),
      };
      return { status: 200, body: { stretch } };
    }),
    bind(exportStates, ({ caller, query }) => {
      const devices = devicesOf(caller.siteId, query.deviceId);
      const stretch = stretchOf(query, clock.now());
      const name = `states-${isoTime(stretch.from).slice(0, 10)}.csv`;
      return {
        status: 200,
        pieces: linesOf(history, devices, { ...stretch, zone: accounts.site(caller.siteId).timeZone }),
        contentType: "text/csv; charset=utf-8",
        headers: {
          "Content-Disposition": `attachment; filename="${name}"`,
          "Cache-Control": "private, no-store",
        },
      };
    }),
  ];
}

/** Day by day, so that memory holds no more than one. */
async function* linesOf(
  history: StateHistory,
  devices: readonly Device[],
  { from, to, zone }: { readonly from: number; readonly to: number; readonly zone: string },
): AsyncGenerator<string> {
  const names = new Map(devices.map(({ id, name }) => [id, name]));
  const time = localTimes(zone);
  yield csv([["time", "device", "name", "state", "value", "by"]]);
  for (let at = from; at < to; ) {
    const end = Math.min(to, at + DAY_MS);
    const { lines, cutAt } = await history.read([...names.keys()], at, end);
    const changes = lines.flatMap(({ deviceId, key, changes }) => changes.map((one) => ({ deviceId, key, ...one })));
    yield csv(
      changes
        .sort((one, other) => one.at - other.at)
        .map(({ at, deviceId, key, value, sender }) => {
          const by = senderFrom(sender);
          return [time(at), deviceId, names.get(deviceId) ?? "", key, value, by === null ? "" : (by.name ?? by.kind)];
        }),
    );
    at = cutAt ?? end;
  }
}

/** The requested stretch, in epoch ms. @throws Problem `invalid_query` */
function stretchOf(query: { readonly from?: string; readonly to?: string }, now: number) {
  const to = query.to === undefined ? now : Date.parse(query.to);
  const from = query.from === undefined ? to - DAY_MS : Date.parse(query.from);
  if (from < to && to - from <= LONGEST_MS) return { from, to };
  const message = "must lie before `to`, by 31 days at most";
  throw new Problem("invalid_query", `from ${message}.`, {
    details: [{ field: "from", code: "before_start", message }],
  });
}
