import { garbageCollector } from "./compiler.ts";

/** Bytes after which dead buffers are collected. */
const MOST_DEAD_BYTES = 8 * 1_048_576;

/**
 * Frees the buffers in which bytes came in. Each read of a socket has one of its own, outside V8's heap, which is dead
 * as soon as its bytes are copied; V8 does not look for them before there are 64 MB. A collection of young objects takes
 * a millisecond or two.
 */
export class Inflow {
  #collect: ReturnType<typeof garbageCollector> | null = null;
  #bytes = 0;

  /** Counts bytes that have come in. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < MOST_DEAD_BYTES) return;
    this.#bytes = 0;
    this.#collect ??= garbageCollector();
    this.#collect({ type: "minor" });
  }
}
