import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTimeOrNull } from "../../../core/kernel/clock.ts";
import type { AuditNote } from "../../access/routes/console-audit.ts";
import { cancelMatterJoin, getMatterJoin, joinMatterDevice } from "../api/console-matter-joins.ts";
import type { Join, MatterJoins } from "../controller/joins.ts";

/** Matter devices that join the hub. */
export function matterJoinRoutes({
  joins,
  note,
}: {
  readonly joins: Pick<MatterJoins, "current" | "begin" | "cancel">;
  readonly note: AuditNote;
}): BoundRoute[] {
  const shown = ({ startedAt, devices, ...join }: Join) => ({
    join: { ...join, devices: [...devices], startedAt: isoTimeOrNull(startedAt) },
  });
  return [
    bind(joinMatterDevice, async ({ caller, body }) => {
      const join = joins.begin(body.code);
      await note(caller, "matter.join_begun", ""); // never the code: it opens the device
      return { status: 202, body: shown(join) };
    }),
    bind(getMatterJoin, () => ({ status: 200, body: shown(joins.current) })),
    bind(cancelMatterJoin, async () => {
      await joins.cancel();
      return { status: 200, body: { done: true } };
    }),
  ];
}
