// @ts-check
/**
 * npm run lint | format | dead: a tool of development from node_modules, which are brought up to date first (npm start
 * leaves most tools out).
 *
 * node scripts/tool.mjs NAME [arguments …]
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { prepareTools, root } from "./lib/prepare.mjs";

const [name, ...words] = process.argv.slice(2);
if (name === undefined) {
  console.error("usage: node scripts/tool.mjs NAME [arguments …]");
  process.exit(2);
}
await prepareTools();
process.exit(spawnSync(join(root, "node_modules", ".bin", name), words, { cwd: root, stdio: "inherit" }).status ?? 1);
