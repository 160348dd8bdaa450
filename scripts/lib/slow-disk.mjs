// @ts-check
/**
 * A disk that is slow, or fails, for a hub in a separate process: `faults/faulty-disk.c`, compiled here and
 * preloaded. Plain Node.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./prepare.mjs";

/** Compiles the preload. @throws Error that names what is missing */
export function slowDisk() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-slow-disk-"));
  const library = join(folder, "slow-disk.so");
  const made = spawnSync(
    "gcc",
    ["-shared", "-fPIC", "-O1", "-o", library, join(root, "scripts/lib/faults/faulty-disk.c"), "-ldl"],
    { encoding: "utf8" },
  );
  if (made.status !== 0)
    throw new Error(
      made.error
        ? "A slow disk is played by a few lines of C: install gcc and libc6-dev."
        : `faulty-disk.c: ${made.stderr}`,
    );
  /** @param {string} name @param {string | number | null} value */
  const set = (name, value) =>
    value === null ? rmSync(join(folder, name), { force: true }) : writeFileSync(join(folder, name), `${value}\n`);
  return {
    /** For the environment of the process. */
    env: { LD_PRELOAD: library, FAULTY_DISK: folder },
    /** Each wait for the disk takes so much longer, from now on. @param {number} ms */
    delay: (ms) => set("delay", ms),
    /** Waits for files whose path holds this text fail from now on; null: none. @param {string | null} part */
    fail: (part) => set("fail", part),
    /** The next such wait fails. @param {string} part */
    failOnce: (part) => set("fail-once", part),
    /** Waits for such files do not end from now on; null: they do. @param {string | null} part */
    hang: (part) => set("hang", part),
    /** Whether that error has occurred. */
    hasFailed: () => !existsSync(join(folder, "fail-once")),
    /** Records waits from now on; the returned function gives them: `{ thread, process, call, file }`. */
    watch: () => {
      writeFileSync(join(folder, "log"), "");
      return () =>
        readFileSync(join(folder, "log"), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => {
            const [, thread, process, call, file] = /^(\d+) (\d+) (\w+) (.*)$/.exec(line) ?? [];
            return { thread: Number(thread), process: Number(process), call, file };
          });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
