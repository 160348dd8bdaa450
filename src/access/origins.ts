/** What a browser says about where a request comes from; null where the header is absent. */
export interface RequestOrigin {
  readonly origin: string | null;
  readonly host: string | null;
  readonly secFetchSite: string | null;
}

/**
 * Whether `text` is an origin exactly as a browser sends it: scheme, host in its normal form, port only where it is not
 * the scheme's own; no path, no slash, no wildcard. Apps in a web view use schemes of their own (`capacitor://localhost`).
 */
export function isExactOrigin(text: string): boolean {
  if (text.length > 255 || text === "null") return false;
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s]+)$/.exec(text) ?? [];
  if (scheme === "" || rest.includes("*") || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.host === rest && `${scheme}:` === url.protocol;
}

/**
 * Whether a request with a session cookie comes from the console itself (CSRF). A browser that sends Sec-Fetch-Site has
 * decided it for us; on plain http it sends none, and Origin must name the host that was called. Neither header: no browser.
 */
export function isSameOrigin({ origin, host, secFetchSite }: RequestOrigin): boolean {
  if (secFetchSite !== null) return secFetchSite === "same-origin" || secFetchSite === "none";
  if (origin === null) return true;
  if (host === null || !URL.canParse(origin)) return false;
  const from = new URL(origin);
  if (from.protocol !== "http:" && from.protocol !== "https:") return false;
  const called = `${from.protocol}//${host}`;
  return URL.canParse(called) && new URL(called).host === from.host;
}
