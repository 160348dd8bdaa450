/**
 * The console: the web page of the hub. It reads and writes through the HTTP API only (`/v1`, and `/api` for what
 * needs a signed-in owner) and hears of changes over one event stream. It knows nothing of how the hub works inside.
 */
import { render } from "preact";
import { App } from "./app.js";
import { applyTheme } from "./preferences.js";
import "./theme.css";
import "./layout.css";
import "./components/controls.css";
import "./components/components.css";
import "./pages/pages.css";

applyTheme();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
