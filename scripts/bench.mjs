// @ts-check
/**
 * npm run bench -- NAME [options]
 *
 * NAME is a file in scripts/bench/; without one, the names are listed. Each measures against a named baseline in the
 * same run and prints a table; numbers from different machines or runs are not comparable.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { prepare, root } from "./lib/prepare.mjs";

const [name, ...options] = process.argv.slice(2);
const folder = join(root, "scripts/bench");
const file = join(folder, `${name}.mjs`);
if (name === undefined || !existsSync(file)) {
  const names = readdirSync(folder)
    .filter((entry) => entry.endsWith(".mjs"))
    .map((entry) => entry.slice(0, -4));
  console.error(`usage: npm run bench -- NAME [options]\n  NAME: ${names.join(", ")}`);
  process.exit(2);
}
await prepare({ tests: true });
const bench = await import(pathToFileURL(file).href);
await bench.run(options);
process.exit();
