// @ts-check
/**
 * npm run build: installs what is missing and builds everything that has changed: the hub, the console, and what tests
 * take.
 */
import { prepare } from "./lib/prepare.mjs";

await prepare({ tests: true });
