import { type BoundRoute, bind, bindOpen } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import {
  createPass,
  getGateChoices,
  getGateContact,
  getRead,
  getSeenReads,
  listOpenings,
  listPasses,
  lookAtPass,
  markReadsSeen,
  putGateChoices,
  putGateContact,
  renewPassLink,
  revokePass,
  tellPlate,
} from "../api/console-gate.ts";
import type { GateChoices } from "../gate-choices.ts";
import type { GateContacts } from "../gate-contacts.ts";
import type { GateDay } from "../gate-day.ts";
import type { GuestPasses, GuestView, PassEntry } from "../guest-passes.ts";
import type { Openings } from "../openings.ts";
import type { PlateReads } from "../plate-reads.ts";
import type { SeenReads } from "../seen-reads.ts";
import { shownGateRead } from "./console-reads.ts";

type Passes = Omit<GuestPasses, "sweep">;

/** Who opened, one read, guest passes. */
export function gateRoutes({
  openings,
  reads,
  day,
  passes,
  seen,
  contacts,
  choices,
}: {
  readonly openings: Pick<Openings, "list">;
  readonly reads: Pick<PlateReads, "captures">;
  readonly day: Pick<GateDay, "get">;
  readonly passes: Passes;
  readonly seen: Pick<SeenReads, "upTo" | "raise">;
  readonly contacts: Pick<GateContacts, "of" | "set">;
  readonly choices: Pick<GateChoices, "of" | "set">;
}): BoundRoute[] {
  return [
    ...passRoutes(passes),
    ...guestRoutes(passes),
    bind(getRead, ({ caller, params, baseUrl }) => ({
      status: 200,
      body: {
        plate: {
          ...shownGateRead(day.get(caller.siteId, params.id), baseUrl),
          captures: reads.captures(caller.siteId, params.id).map((one) => ({ ...one, at: isoTime(one.at) })),
        },
      },
    })),
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
    bind(getSeenReads, ({ caller }) => ({ status: 200, body: { seen: { upToId: seen.upTo(caller.accountId) } } })),
    bind(markReadsSeen, async ({ caller, body }) => {
      await seen.raise(caller.siteId, caller.accountId, body.upToId);
      return { status: 200, body: { seen: { upToId: seen.upTo(caller.accountId) } } };
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

const NOT_KEPT = { "Cache-Control": "no-store" };

function passRoutes(passes: Passes): BoundRoute[] {
  return [
    bind(listPasses, ({ caller }) => ({ status: 200, body: { passes: passes.list(caller.siteId).map(shownPass) } })),
    bind(createPass, async ({ caller, body }) => {
      const { label, plate = null, deviceId = null, windows = [] } = body;
      const validFrom = body.validFrom ? Date.parse(body.validFrom) : null;
      const input = {
        label,
        plate,
        deviceId,
        windows,
        validFrom,
        validTo: Date.parse(body.validTo),
        guestMayTellPlate: body.guestMayTellPlate ?? plate === null,
      };
      const { pass, token } = await passes.create(caller.siteId, input, caller.actor);
      return { status: 201, body: { pass: shownPass(pass), token }, headers: NOT_KEPT };
    }),
    bind(renewPassLink, async ({ caller, params }) => ({
      status: 200,
      body: { token: await passes.renewLink(caller.siteId, params.id, caller.actor) },
      headers: NOT_KEPT,
    })),
    bind(revokePass, async ({ caller, params }) => {
      await passes.revoke(caller.siteId, params.id, caller.actor);
      return { status: 200, body: { done: true } };
    }),
  ];
}

/** What a guest may do, by what the link holds alone. */
function guestRoutes(passes: Passes): BoundRoute[] {
  return [
    bindOpen(lookAtPass, async ({ body, facts }) => ({
      status: 200,
      body: { pass: shownView(await passes.look(body.token, facts.address)) },
      headers: NOT_KEPT,
    })),
    bindOpen(tellPlate, async ({ body, facts }) => ({
      status: 200,
      body: { pass: shownView(await passes.tellPlate(body.token, body.plate, facts.address)) },
      headers: NOT_KEPT,
    })),
  ];
}

function shownBounds({ validFrom, validTo, windows }: Pick<PassEntry, "validFrom" | "validTo" | "windows">) {
  return {
    validFrom: isoTimeOrNull(validFrom),
    validTo: isoTime(validTo),
    windows: windows.map(({ days, from, to }) => ({ days: [...days], from, to })),
  };
}

function shownPass(pass: PassEntry) {
  return { ...pass, ...shownBounds(pass), createdAt: isoTime(pass.createdAt), openedAt: isoTimeOrNull(pass.openedAt) };
}

function shownView(view: GuestView) {
  return { ...view, ...shownBounds(view), gates: [...view.gates] };
}
