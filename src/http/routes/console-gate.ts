import { listOpenings } from "../../contract/routes/console-gate.js";
import type { Openings } from "../../gate/openings.js";
import { isoTime, isoTimeOrNull } from "../../kernel/clock.js";
import { type BoundRoute, bind } from "../exchange.js";

/** What the Gate page asks of the hub beside plates and cameras. */
export interface GateService {
  readonly openings: Pick<Openings, "list">;
}

/** Who opened. */
export function gateRoutes({ openings }: GateService): BoundRoute[] {
  return [
    bind(listOpenings, ({ caller, query }) => ({
      status: 200,
      body: {
        openings: openings
          .list(caller.siteId, { deviceId: query.deviceId, limit: query.limit ?? 50 })
          .map((one) => ({ ...one, at: isoTime(one.at), settledAt: isoTimeOrNull(one.settledAt) })),
      },
    })),
  ];
}
