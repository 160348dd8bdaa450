import { isIP } from "node:net";
import type { RequestFacts } from "../../../core/http/exchange.ts";
import type { PASSKEY_PLACES } from "../api/console-passkeys.ts";
import type { PasskeyPage } from "../passkeys.ts";

/** The page that a request comes from, if passkeys work there; else why not. */
export type PasskeyPlace =
  | { readonly place: "here"; readonly page: PasskeyPage }
  | { readonly place: Exclude<(typeof PASSKEY_PLACES)[number], "here">; readonly page: null };

/**
 * Whether passkeys work on a request's page. Passkeys belong to a host name that this hub proves with its certificate;
 * with a name that anybody on the network could take, they would go to the host that took it. `isOwnName`: whether the
 * hub's certificate holds a name.
 */
export function passkeyPlace(
  facts: Pick<RequestFacts, "host" | "secure" | "box">,
  isOwnName: (name: string) => boolean,
): PasskeyPlace {
  const host = facts.host.toLowerCase();
  const name = host.replace(/:\d+$/, "");
  if (!facts.secure || facts.box) return { place: "plain", page: null };
  if (name.startsWith("[") || isIP(name) !== 0) return { place: "address", page: null };
  if (!isOwnName(name)) return { place: "name", page: null };
  return { place: "here", page: { rpId: name, origin: `https://${host.replace(/:443$/, "")}` } };
}
