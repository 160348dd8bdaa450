// @ts-check
/**
 * npm run build: installs missing packages and builds everything that has changed: the hub, the console, and what the
 * tests need.
 */
import { prepare } from "./lib/prepare.mjs";

await prepare({ tests: true });
