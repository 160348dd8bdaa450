/** The address under which others find the hub. */
import { useEffect, useState } from "preact/hooks";
import { get } from "../api.ts";
import { isOwner } from "../session.ts";

/** Whether a name or address is the host itself, which is useless on any other device. */
export function isOwnHost(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || host.startsWith("127.");
}

/** The first address that reaches the hub from elsewhere, in URL form; null: it has none. */
export function addressFromElsewhere(addresses: readonly string[]): string | null {
  const found = addresses.find((address) => !isOwnHost(address));
  return found === undefined ? null : found.includes(":") ? `[${found}]` : found;
}

/**
 * The origin for a link that is sent to somebody: this page's own, or the network address if an owner has this page open
 * on the host; null until that is known.
 */
export function useHubOrigin(): string | null {
  const [origin, setOrigin] = useState(isOwnHost(location.hostname) && isOwner.value ? null : location.origin);
  useEffect(() => {
    if (origin !== null) return;
    void get("/api/network").then(
      ({ network }) => {
        const host = addressFromElsewhere(network.addresses);
        setOrigin(
          host === null
            ? location.origin
            : `${location.protocol}//${host}${location.port === "" ? "" : `:${location.port}`}`,
        );
      },
      () => setOrigin(location.origin), // then it works only on the host
    );
  }, []);
  return origin;
}
