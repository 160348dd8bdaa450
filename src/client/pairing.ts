import { HubError } from "./errors.ts";
import { pause, Transport, type TransportOptions } from "./transport.ts";
import type { Me, PairedKey, PairingCodes } from "./types.js";

/** A scope of a key. */
export type Scope = Me["auth"]["scopes"][number];

/** How an app asks for its key. */
export interface PairOptions extends Omit<TransportOptions, "key"> {
  /** The app's name, as the person is shown it. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Shows the person what to do: `user_code` with `verification_uri`, or a QR code of `verification_uri_complete`. */
  readonly show: (codes: PairingCodes) => void;
  /** Cancels pairing. */
  readonly signal?: AbortSignal;
}

/** What a person has approved: keep the key where the system keeps secrets. */
export interface Paired {
  readonly key: string;
  /** May be less than was asked for. */
  readonly scopes: readonly Scope[];
}

/**
 * Asks for a key, shows the codes, and waits until a person has approved the app in the hub's console (RFC 8628).
 * @throws HubError `access_denied` when they refuse, `expired_token` after ten minutes
 */
export async function pair({ name, scopes, show, signal, ...options }: PairOptions): Promise<Paired> {
  const transport = new Transport(options);
  const codes = await transport.json<PairingCodes>("POST", "/v1/pairing", {
    json: { client_name: name, scope: scopes.join(" ") },
    signal,
  });
  show(codes);
  const json = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: codes.device_code };
  for (let seconds = codes.interval; ; ) {
    await pause(seconds * 1_000, signal);
    try {
      const { access_token, scope } = await transport.json<PairedKey>("POST", "/v1/pairing/token", { json, signal });
      return { key: access_token, scopes: scope.split(" ") as Scope[] }; // those that were asked for, or fewer
    } catch (error) {
      if (!(error instanceof HubError) || (error.code !== "authorization_pending" && error.code !== "slow_down"))
        throw error;
      const { interval } = error.fields;
      if (typeof interval === "number") seconds = interval;
    }
  }
}
