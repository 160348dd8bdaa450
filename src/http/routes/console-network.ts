import { getNetwork, renewAuthority } from "../../contract/routes/console-network.js";
import { type BoundRoute, bind } from "../exchange.js";
import type { AuditNote } from "./console-audit.js";

/** Where the hub is reached. */
export interface NetworkView {
  readonly name: string | null;
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly certifiedAddresses: readonly string[];
  readonly httpPort: number | null;
  readonly httpsPort: number | null;
  readonly mqttPort: number | null;
  readonly mqttsPort: number | null;
  readonly plainHttp: "open" | "closed";
  /** The hub's own authority; null without one. `notAfter` in ISO form. */
  readonly authority: {
    readonly kind: "own" | "boundless" | "given";
    readonly fingerprint: string;
    readonly notAfter: string;
  } | null;
}

/** What {@link networkRoutes} ask of the hub. */
export interface NetworkService {
  readonly view: () => NetworkView;
  /** @throws Problem `conflict` without an own authority */
  readonly renewAuthority: () => Promise<void>;
  readonly note: AuditNote;
}

/** The hub's names, addresses and ports, and its authority. */
export function networkRoutes({ view, renewAuthority: renew, note }: NetworkService): BoundRoute[] {
  const shown = () => {
    const { addresses, certifiedAddresses, ...rest } = view();
    return {
      status: 200 as const,
      body: { network: { ...rest, addresses: [...addresses], certifiedAddresses: [...certifiedAddresses] } },
    };
  };
  return [
    bind(getNetwork, shown),
    bind(renewAuthority, async ({ caller }) => {
      await renew();
      await note(caller, "authority.renewed", "hub");
      const answer = shown();
      // This browser trusted the authority of before, and may be kept from the hub's name by what it remembers until it
      // trusts the new one.
      return { ...answer, headers: { "Strict-Transport-Security": "max-age=0" } };
    }),
  ];
}
