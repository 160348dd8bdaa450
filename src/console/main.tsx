/**
 * The console: the web page of the hub. It reads and writes through the HTTP API only (`/v1`, and `/api` for what needs
 * a signed-in person) and receives changes over one event stream. It knows nothing of how the hub works inside.
 */
import { render } from "preact";
import { App } from "./app.tsx";
import { loadFirstTexts } from "./i18n/translate.ts";
import { startInstalled } from "./installed.ts";
import { startLive } from "./live.ts";
import { loadAhead } from "./pages/later.tsx";
import { PAGES } from "./pages/pages.ts";
import { applyTheme } from "./preferences.ts";
import { followPresses } from "./presses.ts";
import { match } from "./router.ts";
import { authStatus, whoAmI } from "./session.ts";
import { loadFirst } from "./store.ts";
import "./theme.css";
import "./layout.css";
import "./components/controls.css";
import "./components/components.css";
import "./components/rows.css";
import "./components/tiles.css";
import "./components/views.css";
import "./pages/pages.css";

applyTheme();
startInstalled();
followPresses();
/** The lists, asked for before this script, are here within this time or take long: the page is drawn with them, or waiting. */
const LISTS_MS = 300;
const root = document.getElementById("app");
// What Home shows is on its way while the page is put together.
const first = whoAmI().then(() => {
  if (authStatus.value !== "signed-in") return undefined;
  const lists = loadFirst().catch(() => {});
  // Not once the page is drawn: what happens before the stream is open makes the lists be asked for again.
  startLive();
  return Promise.race([lists, new Promise((resolve) => setTimeout(resolve, LISTS_MS))]);
});
// Without its texts the page would flash in another language; if the hub does not answer, English is used.
if (root !== null)
  void Promise.all([loadFirstTexts(), first])
    .catch(() => {})
    .finally(() => {
      root.textContent = ""; // what index.html has painted
      render(<App />, root);
    });

function ahead(path: string): void {
  if (authStatus.value === "signed-in") loadAhead(PAGES.find((page) => match(page.path, path) !== null)?.view);
}
// A page's code is on its way while the finger is still down.
addEventListener("pointerdown", ({ target }) => {
  const link = target instanceof Element ? target.closest("a[href^='/']") : null;
  if (link instanceof HTMLAnchorElement) ahead(link.pathname);
});
/** The gate is there before the tap, once the page has long been of use. A browser without idle time to offer loads it then. */
const AHEAD_MS = 8_000;
addEventListener("load", () =>
  setTimeout(() => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => ahead("/gate"));
  }, AHEAD_MS),
);
