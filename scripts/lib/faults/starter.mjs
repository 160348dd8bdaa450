// @ts-check
/**
 * One hub after the other in a process that has already loaded and compiled the program, as a child process of
 * hub-here.mjs: a start takes a sixth of a new process's. It takes the steps of src/main.ts that read the database, its
 * settings and its certificates, and none that concern the process itself (the lock, signals, the other files). Runs
 * the sources.
 */

import { systemClock } from "../../../src/core/kernel/clock.ts";
import { FileTroubles } from "../../../src/core/kernel/file-troubles.ts";
import { createLogger } from "../../../src/core/platform/log.ts";
import { openTls } from "../../../src/core/platform/tls.ts";
import { openSettings } from "../../../src/core/settings/store.ts";
import { startFromAny } from "../../../src/core/start/start-attempts.ts";
import { startFailure } from "../../../src/core/start/start-failure.ts";
import { uncaught } from "../../../src/core/storage/uncaught.ts";
import { takeUpSettings } from "../../../src/features/provision/feature.ts";
import { announcement } from "../../../src/features/system/announcement.ts";
import { Hub } from "../../../src/hub.ts";
import { root } from "../prepare.mjs";

const builtAt = Date.now();
const write = (/** @type {string} */ text) => void process.send?.({ out: text });
const logger = createLogger({ level: "info", format: "json", write, mono: systemClock.mono });
/** @type {Hub | null} */
let hub = null;

for (const event of ["unhandledRejection", "uncaughtException"]) process.on(event, uncaught(logger));
process.on("message", (/** @type {{ env: Record<string, string> } | "stop"} */ message) => {
  void (message === "stop" ? stop() : start(message.env));
});

/** @param {Record<string, string>} env */
async function start(env) {
  /** @type {import("../../../src/core/settings/schema.ts").Settings | null} */
  let current = null;
  try {
    const settings = openSettings({ env, argv: [] });
    current = settings.current;
    const dataFolder = env.GATEHOUSE_DATA ?? "";
    const troubles = new FileTroubles();
    const tls = await openTls(settings.current, dataFolder, { nowMs: Date.now(), builtAt }, troubles);
    hub = await startFromAny(
      (source, because) =>
        Hub.open({
          ...{ settings, tls, clock: systemClock, logger, projectFolder: root, dataFolder, version: "0", builtAt },
          ...{ source, because, troubles },
        }),
      logger,
    );
    await takeUpSettings({ database: hub.base.database, access: hub.access }, settings, logger);
    write(announcement(hub, settings.current, false));
    process.send?.({ isReady: true });
  } catch (error) {
    process.send?.({ failed: startFailure(error, current) });
  }
}

async function stop() {
  const running = hub;
  hub = null;
  await running?.stop();
  process.send?.({ isStopped: true });
}
