import type { Json } from "../../../core/api/route.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { AuditNote } from "../../access/routes/console-audit.ts";
import { getNetwork, type Network, renewAuthority } from "../api/console-network.ts";

/** The hub's names, addresses and ports, and its authority. */
export function networkRoutes({
  view,
  renewAuthority: renew,
  note,
}: {
  readonly view: () => Json<Network>;
  /** @throws Problem `conflict` without an own authority */
  readonly renewAuthority: () => Promise<void>;
  readonly note: AuditNote;
}): BoundRoute[] {
  const shown = () => ({ status: 200 as const, body: { network: view() } });
  return [
    bind(getNetwork, shown),
    bind(renewAuthority, async ({ caller }) => {
      await renew();
      await note(caller, "authority.renewed", "hub");
      const answer = shown();
      // This browser trusted the previous authority, and may be kept from the hub's name by cached state until it
      // trusts the new one.
      return { ...answer, headers: { "Strict-Transport-Security": "max-age=0" } };
    }),
  ];
}
