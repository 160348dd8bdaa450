import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { getGateChoices, getGateContact, listOpenings, putGateChoices, putGateContact } from "../api/console-gate.ts";
import type { GateChoices } from "../gate-choices.ts";
import type { GateContacts } from "../gate-contacts.ts";
import type { Openings } from "../openings.ts";

/** Who opened, contact sensors, and what listed plates earn. */
export function gateRoutes({
  openings,
  contacts,
  choices,
}: {
  readonly openings: Pick<Openings, "list">;
  readonly contacts: Pick<GateContacts, "of" | "set">;
  readonly choices: Pick<GateChoices, "of" | "set">;
}): BoundRoute[] {
  return [
    bind(getGateContact, ({ caller, params }) => ({
      status: 200,
      body: { contact: { deviceId: contacts.of(caller.siteId, params.id) } },
    })),
    bind(putGateContact, async ({ caller, params, body }) => {
      await contacts.set(caller.siteId, params.id, body.deviceId, caller.actor);
      return { status: 200, body: { contact: { deviceId: contacts.of(caller.siteId, params.id) } } };
    }),
    bind(getGateChoices, ({ caller }) => ({ status: 200, body: { choices: choices.of(caller.siteId) } })),
    bind(putGateChoices, async ({ caller, body }) => {
      await choices.set(caller.siteId, body, caller.actor);
      return { status: 200, body: { choices: choices.of(caller.siteId) } };
    }),
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
