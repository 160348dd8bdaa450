/**
 * Frees the memory behind an array at once; every view of it is empty afterwards, so only its sole owner may do this.
 * If left to the collector, pictures count as V8's external memory: each 64 MB trigger a full mark of the heap, which
 * delays responses. A small piece of Node's pool is left alone: the pool hands out less than half of itself at a time
 * (`Buffer.allocUnsafe`).
 */
export function freeBytes({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && byteLength * 2 >= buffer.byteLength) buffer.transfer(0);
}

/** A copy in memory of its own. */
export function ownCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
