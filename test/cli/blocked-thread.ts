/**
 * A recogniser's thread for tests that hangs in native code at its first picture, whose bytes name a pipe without a
 * writer.
 */
import { openSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";

parentPort?.on("message", (message: { readonly jpeg?: Uint8Array }) => {
  if (message.jpeg !== undefined) readSync(openSync(Buffer.from(message.jpeg).toString(), "r+"), Buffer.alloc(1));
});
