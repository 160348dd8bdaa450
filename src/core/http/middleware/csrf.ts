import type { RequestFacts } from "../exchange.ts";
import { originNotAllowed } from "./cors.ts";

/**
 * Keeps other sites' pages from using the console's cookie. Sec-Fetch-Site decides where the browser sends it (secure
 * contexts only); else the Origin's host must be the Host; neither header means that no browser page sent it.
 * SameSite=Strict and JSON-only bodies are the second line of defence.
 * @throws Problem `origin_not_allowed`
 */
export function checkSameOrigin(facts: RequestFacts): void {
  const { origin } = facts.headers;
  const site = facts.headers["sec-fetch-site"];
  if (site !== undefined) {
    if (site !== "same-origin" && site !== "none") throw originNotAllowed(origin ?? "");
    return;
  }
  if (origin === undefined) return;
  const host = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  if (host === undefined || host.toLowerCase() !== facts.host.toLowerCase()) throw originNotAllowed(origin);
}
