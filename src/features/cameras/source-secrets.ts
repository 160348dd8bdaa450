import { Problem } from "../../core/kernel/problem.ts";
import { invalidSource } from "./camera-source.ts";

/**
 * The secrets of a camera's source: the password in its address, and what some makers have in the path or query. People
 * enter them and they go to the camera; nobody gets them back.
 */

/** A source as a JSON object; its shape is checked in camera-source.ts. */
type Given = Readonly<Record<string, unknown>>;

/** `password=`, `pwd=` … with its value in a path or query, as makers without a proper sign-in have it. */
const NAMED_SECRET = /((?:^|[?&/;_])(?:pass|passwd|password|pwd|psw|token|secret|auth)=)([^&/;]*)/gi;
const HIDDEN = "***";

/** A source as people and clients see it, and whether it has secrets that they do not see. */
export function shownSource(source: object): { readonly source: object; readonly hasPassword: boolean } {
  const url = urlOf(source);
  if (url === null) return { source, hasPassword: false };
  const shown = hidden(url);
  return { source: { ...source, url: shown }, hasPassword: shown !== url.href };
}

/** A source's address without its secrets, for logs and the console. */
export function shownUrl(url: string): string {
  return hidden(new URL(url));
}

/**
 * A source as it is to be stored. `password` goes into its address; if none is given, the stored one stays, as long as
 * it goes to nobody else than before: the same scheme, host, port and user, and motion events of a host that has it
 * already.
 * @throws Problem `invalid_body` where a stored password would go elsewhere
 */
export function completedSource(value: object, stored: object): object {
  // members are checked here and by parseCameraSource
  const { password, hasPassword: _hasPassword, ...given } = value as Given;
  const url = urlOf(given);
  if (url === null) return given;
  if (password !== undefined && (typeof password !== "string" || password.length > 200))
    throw invalidSource("/password", { code: "refusal.camera.password" });
  if (typeof password === "string" && password !== "") url.password = encodeURIComponent(password);
  const old = urlOf(stored);
  const wantsOld = (url.username !== "" && url.password === "") || tailOf(url).includes(`=${HIDDEN}`);
  if (!wantsOld || old === null || !shownSource(stored).hasPassword) return { ...given, url: url.href };
  if (url.protocol !== old.protocol || url.host !== old.host || url.username !== old.username)
    throw passwordNeeded("the address is another one");
  const address = eventsOf(given);
  if (address !== null && address.hostname !== old.hostname && address.host !== eventsOf(stored)?.host)
    throw passwordNeeded("the address for motion events is another one");
  const known = new Map(
    [...tailOf(old).matchAll(NAMED_SECRET)].map(([, name = "", secret = ""]) => [plainName(name), secret]),
  );
  const tail = tailOf(url).replaceAll(NAMED_SECRET, (whole, name: string, secret: string) =>
    secret === HIDDEN ? name + (known.get(plainName(name)) ?? "") : whole,
  );
  if (url.password === "") url.password = old.password;
  return { ...given, url: withTail(url, tail) };
}

/** A source for the database: if it has secrets, its whole address is sealed. */
export function sealedSource(source: object, seal: (text: string) => string): object {
  const shown = shownSource(source);
  const url = urlOf(source);
  return shown.hasPassword && url !== null ? { ...shown.source, sealedUrl: seal(url.href) } : source;
}

/** Undoes {@link sealedSource}. Without the hub's key the camera refuses, and its owner enters the password again. */
export function openedSource(stored: object, open: (sealed: string) => string): object {
  const { sealedUrl, ...source } = stored as Given; // written by sealedSource
  if (typeof sealedUrl !== "string") return source;
  try {
    return { ...source, url: open(sealedUrl) };
  } catch (error) {
    if (error instanceof Problem) return source;
    throw error;
  }
}

function passwordNeeded(why: string): Problem {
  const message = `The camera's password has to be given again: ${why}.`;
  return new Problem("invalid_body", message, {
    details: [{ field: "/source/password", code: "password_needed", message }],
  });
}

function urlOf(source: object): URL | null {
  return "url" in source && typeof source.url === "string" && URL.canParse(source.url) ? new URL(source.url) : null;
}

function eventsOf(source: object): URL | null {
  const watch = "watch" in source && typeof source.watch === "object" && source.watch !== null ? source.watch : {};
  return "address" in watch && typeof watch.address === "string" && URL.canParse(watch.address)
    ? new URL(watch.address)
    : null;
}

function hidden(url: URL): string {
  const shown = new URL(url.href);
  shown.password = "";
  return withTail(
    shown,
    tailOf(shown).replaceAll(NAMED_SECRET, (_, name: string) => name + HIDDEN),
  );
}

/** Everything after the host, unchanged. */
function tailOf(url: URL): string {
  return url.pathname + url.search + url.hash;
}

function withTail(url: URL, tail: string): string {
  return url.href.slice(0, url.href.length - tailOf(url).length) + tail;
}

function plainName(name: string): string {
  return name.replace(/^[?&/;_]/, "").toLowerCase();
}
