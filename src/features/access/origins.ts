/**
 * Whether `text` is an origin exactly as a browser sends it: scheme, host in its normal form, port only where it is not
 * the scheme's own; no path, no slash, no wildcard. Apps in a web view use schemes of their own
 * (`capacitor://localhost`).
 */
export function isExactOrigin(text: string): boolean {
  if (text.length > 255 || text === "null") return false;
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s]+)$/.exec(text) ?? [];
  if (scheme === "" || rest.includes("*") || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.host === rest && `${scheme}:` === url.protocol;
}
