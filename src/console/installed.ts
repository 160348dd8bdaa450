/**
 * The console as an app: its service worker, and the browser's offer to install it. Both need an encrypted page;
 * everything works without them.
 */
import { signal } from "@preact/signals";
import { go } from "./router.ts";

/** What Chromium hands over when the page can be installed. */
interface InstallOffer extends Event {
  prompt(): Promise<void>;
}

/** The browser's offer; null where there is none. */
export const installOffer = signal<InstallOffer | null>(null);

/** Registers the worker, and opens a message's page when it is tapped. */
export function startInstalled(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault(); // the notifications page offers it, at a better moment
    installOffer.value = event as InstallOffer;
  });
  addEventListener("appinstalled", () => {
    installOffer.value = null;
  });
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<{ go?: unknown }>) => {
    if (typeof data?.go === "string") go(data.go);
  });
  // The page comes first. A certificate that the browser does not trust ends this here, and the console works without.
  addEventListener(
    "load",
    () => void navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" }).catch(() => {}),
  );
}
