import { isIP } from "node:net";
import { Problem } from "../../kernel/problem.ts";
import type { HubMiddleware, RequestFacts, RouteResponse } from "../exchange.ts";

/** How the hub treats connections without encryption. */
export interface PlainHttp {
  /** Whether plain http is only sent on to https. */
  readonly isClosed: () => boolean;
  /** Port of https; 0 without. */
  readonly httpsPort: () => number;
}

/**
 * What stays available: how to trust the hub, its health, whether it is claimed. No credential is accepted, and nothing
 * about the household is returned.
 */
const OPEN = new Set(["/ca", "/ca.crt", "/ca-devices.crt", "/healthz", "/api/claim"]);
/**
 * What programs request. They would follow a redirect only after sending the credential in clear, and its owner would
 * never notice.
 */
const FOR_PROGRAMS = /^\/(v1|api|mqtt|metrics|readyz)(\/|$)/;
/**
 * Each visit renews it. Two days are long enough for a house that opens the console daily, and short: a browser that
 * remembers the rule refuses the hub's name while it does not trust the hub's authority, as after a reset. The hub's
 * address is never under the rule.
 */
const STRICT_SECONDS = 2 * 86_400;

/** Answers requests without encryption while plain http is closed. @throws Problem `https_required` */
export function encryption(plain: PlainHttp): HubMiddleware {
  return ({ state }, next) => {
    state.answer = answerInClear(state.facts, state.search, plain);
    return state.answer === null ? next() : Promise.resolve();
  };
}

/**
 * The answer to a request without encryption while plain http is closed; null: the request is handled as usual. A page
 * is sent to https under the very host name that was checked before, with its path. The redirect is a temporary one
 * (307): a browser would keep a permanent one longer than the owner's choice.
 * @throws Problem `https_required`
 */
export function answerInClear(
  { secure, box, method, path, host }: RequestFacts,
  search: string,
  plain: PlainHttp,
): RouteResponse | null {
  if (secure || box || !plain.isClosed()) return null;
  const isRead = method === "GET" || method === "HEAD";
  if (isRead && OPEN.has(path)) return null;
  const base = `https://${nameOf(host)}${plain.httpsPort() === 443 ? "" : `:${plain.httpsPort()}`}`;
  if (!isRead || FOR_PROGRAMS.test(path)) {
    throw new Problem(
      "https_required",
      `This hub answers over https only: ${base}. What this request carried was readable on the network.`,
      {
        hint: "Change a password or key that was sent, and trust the hub's authority (/ca.crt).",
      },
    );
  }
  const target = path.startsWith("/") ? path + (search === "" ? "" : `?${search}`) : "/";
  return { status: 307, headers: { Location: base + target, "Cache-Control": "no-store" } };
}

/**
 * Strict-Transport-Security for a response, or null. Only where the hub was opened by a name, on https's own port:
 * browsers apply the rule to all ports of a name and keep the port when they move to https, so a hub on 8443 would lock
 * its own page on 8080, and `localhost` is shared by all programs.
 */
export function strictTransport({ secure, host }: RequestFacts, plain: PlainHttp): string | null {
  if (!secure || !plain.isClosed() || plain.httpsPort() !== 443) return null;
  const name = nameOf(host).toLowerCase();
  const isName = !name.startsWith("[") && isIP(name) === 0 && name !== "localhost" && !name.endsWith(".localhost");
  return isName ? `max-age=${STRICT_SECONDS}` : null;
}

/** Host header without its port. */
export function nameOf(host: string): string {
  return host.replace(/:\d+$/, "");
}
