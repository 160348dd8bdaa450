// @ts-check
/** A hub within the process of a bench, where its parts can be reached. */
import { join } from "node:path";
import { hubEnvironment } from "./hub-process.mjs";
import { root } from "./prepare.mjs";

/**
 * Makes it, without starting it.
 * @param {string} built absolute
 * @param {string} folder its data
 * @param {Record<string, string>} [env]
 * @param {string[]} [argv]
 * @returns {Promise<import("../../src/hub.ts").Hub>}
 */
export async function makeOwnHub(built, folder, env = {}, argv = []) {
  const { Hub } = await import(join(built, "src/hub.js"));
  const { systemClock } = await import(join(built, "src/core/kernel/clock.js"));
  const { silentLogger } = await import(join(built, "src/core/kernel/logger.js"));
  const { openSettings } = await import(join(built, "src/core/settings/store.js"));
  const settings = openSettings({ env: hubEnvironment(folder, env), argv });
  return Hub.open({
    settings,
    clock: systemClock,
    logger: silentLogger,
    projectFolder: root,
    dataFolder: folder,
    version: "bench",
    builtAt: 0,
  });
}
