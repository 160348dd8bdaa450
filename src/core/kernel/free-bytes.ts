/**
 * Frees the memory behind an array here and now; every view of it is empty afterwards, so only its one owner may do
 * this. Left to the collector, pictures are counted as memory of V8's: each 64 MB of them make it look through
 * everything that lives, which an answer waits for. A small piece of Node's pool is left alone: the pool gives out less
 * than half of itself at a time (`Buffer.allocUnsafe`).
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength * 2 >= buffer.byteLength) buffer.transfer(0);
}

/** A copy in memory that nothing else has a part of. */
export function ownCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
