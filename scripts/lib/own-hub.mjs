// @ts-check
/** A hub within the process of a bench, with its parts accessible. */
import { hubEnvironment } from "./hub-process.mjs";
import { root } from "./prepare.mjs";

/**
 * Creates it without starting it.
 * @param {string} folder its data
 * @param {Record<string, string>} [env]
 * @param {string[]} [argv]
 * @returns {Promise<import("../../src/hub.ts").Hub>}
 */
export async function makeOwnHub(folder, env = {}, argv = []) {
  const { Hub } = await import("../../src/hub.ts");
  const { systemClock } = await import("../../src/core/kernel/clock.ts");
  const { silentLogger } = await import("../../src/core/kernel/logger.ts");
  const { openSettings } = await import("../../src/core/settings/store.ts");
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
