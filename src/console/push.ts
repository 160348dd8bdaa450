/** Web Push in this browser: whether it is possible, and how to switch it on. Loaded only by the settings page. */

/**
 * `insecure`: the page is not encrypted, where browsers allow no push; `install`: an iPhone, where only a page on the
 * Home Screen may; `unsupported`: this browser has none; `blocked`: the person has forbidden it; `ready`.
 */
export type PushAbility = "insecure" | "install" | "unsupported" | "blocked" | "ready";

/** This browser's support for push. */
export function pushAbility(): PushAbility {
  if (!isSecureContext) return "insecure";
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return isApplePhone() ? "install" : "unsupported";
  return Notification.permission === "denied" ? "blocked" : "ready";
}

/** The subscription with which the hub reaches this browser. */
export interface BrowserSubscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly label: string;
}

/**
 * Asks the person, and subscribes this browser with the hub's key; null when the person declines.
 * @throws Error of the browser, for example without internet
 */
export async function subscribeHere(publicKey: string): Promise<BrowserSubscription | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  const registration = await navigator.serviceWorker.ready;
  await (await registration.pushManager.getSubscription())?.unsubscribe(); // it may be for another key
  const made = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytesOf(publicKey),
  });
  return {
    endpoint: made.endpoint,
    p256dh: textOf(made.getKey("p256dh")),
    auth: textOf(made.getKey("auth")),
    label: browserLabel(),
  };
}

/** Ends the subscription of this browser, if it has one. */
export async function unsubscribeHere(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** A name by which a person recognises this browser. */
function browserLabel(): string {
  const agent = navigator.userAgent;
  const name = (names: readonly (readonly [RegExp, string])[], otherwise: string): string =>
    names.find(([pattern]) => pattern.test(agent))?.[1] ?? otherwise;
  const browser = name(
    [
      [/Edg/, "Edge"],
      [/OPR/, "Opera"],
      [/SamsungBrowser/, "Samsung Internet"],
      [/Firefox/, "Firefox"],
      [/Chrom/, "Chrome"],
      [/Safari/, "Safari"],
    ],
    "Browser",
  );
  const system = name(
    [
      [/iPhone|iPad/, "iOS"],
      [/Android/, "Android"],
      [/Windows/, "Windows"],
      [/Mac OS/, "macOS"],
      [/Linux/, "Linux"],
    ],
    "",
  );
  return system === "" ? browser : `${browser}, ${system}`;
}

function isApplePhone(): boolean {
  return /iPhone|iPad/.test(navigator.userAgent);
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

function textOf(key: ArrayBuffer | null): string {
  const letters = String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer()));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
