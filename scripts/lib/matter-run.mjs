// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNeighbour } from "./own-network.mjs";

/**
 * The environment of a check with hubs and Matter homes: a temporary folder, the failures, and the processes that end
 * with it; a neighbouring network exists meanwhile.
 * @param {string} prefix of the folder's name
 */
export function openRun(prefix) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  /** @type {string[]} */
  const mistakes = [];
  /** @type {{ kill(): unknown }[]} */
  const running = [];
  const neighbour = startNeighbour();
  return {
    folder,
    mistakes,
    running,
    neighbour,
    /**
     * Runs `check`, prints the failures, and exits: with 0 if everything held.
     * @param {() => Promise<void>} check
     * @returns {Promise<never>}
     */
    async conclude(check) {
      try {
        await check();
      } catch (error) {
        mistakes.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      } finally {
        for (const one of running) one.kill();
        neighbour.kill("SIGKILL");
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      }
      for (const mistake of mistakes) console.log(`WRONG: ${mistake}`);
      console.log(mistakes.length === 0 ? "everything held" : `${mistakes.length} wrong`);
      process.exit(mistakes.length === 0 ? 0 : 1);
    },
  };
}
