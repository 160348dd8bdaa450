// @ts-check
/**
 * npm run dev [-- --<setting> <value> …]
 *
 * Runs the hub from its sources with the demo household and restarts it when a source changes, and Vite with the
 * console's pages, which update in place. Data goes to ./data-dev (GATEHOUSE_DATA). Nothing is built. It uses separate
 * ports, so that it runs beside `npm start`, and is not announced on the network. Ctrl-C ends both.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { HUB_ENVIRONMENT, NODE_ARGUMENTS } from "./lib/hub-environment.mjs";
import { COMPILE_CACHE, prepareModules, root } from "./lib/prepare.mjs";
import { handDownSignals } from "./lib/runtime.mjs";

await prepareModules();

const env = {
  ...HUB_ENVIRONMENT,
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  GATEHOUSE_DATA: join(root, "data-dev"),
  GATEHOUSE_HOST: "127.0.0.1",
  GATEHOUSE_HTTP_PORT: "8070",
  GATEHOUSE_MQTT_PORT: "1870",
  GATEHOUSE_TLS: "off",
  GATEHOUSE_MDNS: "false",
  ...process.env,
  SUPERVISED_BY: "npm run dev",
};
const hub = spawn(
  process.execPath,
  [...NODE_ARGUMENTS, "--watch", "--watch-preserve-output", "src/main.ts", "--demo", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", env },
);
hub.on("exit", (code) => process.exit(code ?? 0));
handDownSignals(() => hub);

process.env.GATEHOUSE_DEV_HUB = `http://127.0.0.1:${env.GATEHOUSE_HTTP_PORT}`;
// The rest needs the installed modules.
const { createServer } = await import("vite");
const pages = await createServer({ configFile: join(root, "src/console/vite.config.ts"), logLevel: "warn" });
await pages.listen();
console.log(`Hub       ${process.env.GATEHOUSE_DEV_HUB}`);
console.log(`Console   ${pages.resolvedUrls?.local[0] ?? "?"}`);
