import { isIP } from "node:net";
import { Problem } from "../../kernel/problem.ts";
import type { HubMiddleware } from "../exchange.ts";

/** Names that no public resolver answers for, so that a page on the internet cannot rebind one to the hub. */
const PRIVATE_SUFFIXES = [".localhost", ".local", ".lan", ".home.arpa", ".internal"];
const SYNTAX = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?$/;
const REMEMBERED = 64;
/** More than any client sends; Node drops none of them silently. */
const MOST_HEADERS = 100;

/**
 * Refuses requests under a host name that is not the hub's, and those with too many headers. The control socket has no
 * host name.
 */
export function hostNames(rule: HostRule): HubMiddleware {
  return ({ state: { request, facts } }, next) => {
    if (request.rawHeaders.length > 2 * MOST_HEADERS)
      throw new Problem("headers_too_large", `A request has at most ${MOST_HEADERS} headers.`);
    if (!facts.box) rule.check(facts.host === "" ? undefined : facts.host, request.rawHeaders);
    return next();
  };
}

/** Refuses requests under host names that are not the hub's (DNS rebinding). */
export class HostRule {
  readonly #allowed: ReadonlySet<string>;
  /** Host headers that passed; browsers and apps use a handful. */
  readonly #passed = new Set<string>();

  constructor(allowedHosts: readonly string[]) {
    this.#allowed = new Set(allowedHosts.map((name) => name.toLowerCase()));
  }

  /**
   * Returns the Host header if the hub answers to it. `rawHeaders` shows a second Host header, which Node hides.
   * @throws Problem `invalid_request` without exactly one well-formed Host; `host_not_allowed` for a foreign name.
   */
  check(host: string | undefined, rawHeaders: readonly string[]): string {
    let seen = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i];
      if (name?.length === 4 && name.toLowerCase() === "host") seen += 1;
    }
    if (host === undefined || seen !== 1)
      throw new Problem("invalid_request", "The request must carry exactly one Host header.");
    if (this.#passed.has(host)) return host;
    const name = SYNTAX.exec(host)?.[1];
    if (name === undefined) throw new Problem("invalid_request", "The Host header is malformed.");
    if (!this.allows(name)) {
      throw new Problem("host_not_allowed", "The hub does not answer under this host name.", {
        hint: "Add the name to allowedHosts (GATEHOUSE_ALLOWED_HOSTS).",
      });
    }
    if (this.#passed.size < REMEMBERED) this.#passed.add(host);
    return host;
  }

  /** Whether the hub answers under `name` (no port; IPv6 in brackets). */
  allows(name: string): boolean {
    const plain = name.toLowerCase().replace(/\.$/, "");
    if (plain.startsWith("[")) return isIP(plain.slice(1, -1)) === 6;
    if (isIP(plain) === 4 || !plain.includes(".")) return plain !== "";
    return this.#allowed.has(plain) || PRIVATE_SUFFIXES.some((suffix) => plain.endsWith(suffix));
  }
}
