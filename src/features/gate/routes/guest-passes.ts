import { type BoundRoute, bind, bindOpen } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { createPass, listPasses, lookAtPass, renewPassLink, revokePass, tellPlate } from "../api/guest-passes.ts";
import type { GuestPasses, GuestView, PassEntry } from "../guest-passes.ts";
import type { KeepsGate } from "./plate-rules.ts";

type Passes = Omit<GuestPasses, "sweep">;

/** Guest passes as hosts manage them, and as their guests see them. */
export function guestPassRoutes({ passes }: { readonly passes: Passes }, keepsGate: KeepsGate): BoundRoute[] {
  return [...passRoutes(passes, keepsGate), ...guestRoutes(passes)];
}

const NOT_KEPT = { "Cache-Control": "no-store" };

function passRoutes(passes: Passes, keepsGate: KeepsGate): BoundRoute[] {
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
      const { pass, token } = await passes.create(caller.siteId, input, caller.actor, keepsGate(caller));
      return { status: 201, body: { pass: shownPass(pass), token }, headers: NOT_KEPT };
    }),
    bind(renewPassLink, async ({ caller, params }) => ({
      status: 200,
      body: { token: await passes.renewLink(caller.siteId, params.id, caller.actor, keepsGate(caller)) },
      headers: NOT_KEPT,
    })),
    bind(revokePass, async ({ caller, params }) => {
      await passes.revoke(caller.siteId, params.id, caller.actor, keepsGate(caller));
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
  return {
    ...pass,
    ...shownBounds(pass),
    createdAt: isoTime(pass.createdAt),
    openedAt: isoTimeOrNull(pass.openedAt),
    cameAt: isoTimeOrNull(pass.cameAt),
  };
}

function shownView(view: GuestView) {
  return { ...view, ...shownBounds(view), gates: [...view.gates] };
}
