import { setImmediate } from "node:timers/promises";
import type { RouteResponse } from "./exchange.ts";
import { ChunkedEtag, etagOf } from "./middleware/conditional.ts";

const MOST_RESPONSES = 64;
/** Total size of the kept answers; a larger one is kept alone. */
const MOST_BYTES = 16 * 1_048_576;
/** Lists up to this length are built at once: that takes a few milliseconds at most. */
const BUILT_AT_ONCE = 500;
/** Characters built before yielding to other work: a millisecond or two on a small board. */
const SLICE_CHARACTERS = 65_536;

/** A list of a body `{[name]: [...]}`, read when the response has to be built. */
export interface ListSource<Name extends string, Item, Shown> {
  readonly name: Name;
  readonly items: () => readonly Item[];
  /** An item as the answer shows it. */
  readonly shown: (item: Item) => Shown;
  /** Grows with every change of data that the response shows. */
  readonly version: () => number;
}

/** The ready bytes of `{[name]: [...]}`. */
type ListResponse<Name extends string, Shown> = RouteResponse<200, { readonly [Key in Name]: readonly Shown[] }> & {
  readonly bytes: Buffer;
};

interface Known<Name extends string, Shown> {
  readonly version: number;
  readonly answer: ListResponse<Name, Shown>;
  readonly size: number;
}

/**
 * Keeps lists built from data with a version number: while the version is unchanged, the bytes and their ETag are sent
 * again without rebuilding (measured: building a list of 50 devices costs more than everything else). Bounded in number
 * and bytes; the least recently built answer is evicted first.
 *
 * A long list is built in slices, with other work served in between; the bytes are the same. Such lists are built one
 * after another, and every request for a list whose build has not begun shares that build, so many readers cost as much
 * as one.
 */
export class ResponseCache<Name extends string, Item, Shown> {
  readonly #responses = new Map<string, Known<Name, Shown>>();
  #bytes = 0;
  /** Long lists that wait for their turn. */
  readonly #waiting = new Map<string, Promise<ListResponse<Name, Shown>>>();
  #line: Promise<unknown> = Promise.resolve();

  /** The answer for `key`; built only if the kept one is of an earlier version. */
  list(
    key: string,
    source: ListSource<Name, Item, Shown>,
  ): ListResponse<Name, Shown> | Promise<ListResponse<Name, Shown>> {
    const known = this.#responses.get(key);
    if (known?.version === source.version()) return known.answer;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    const items = source.items();
    if (items.length > BUILT_AT_ONCE) return this.#inTurn(key, source);
    const bytes = Buffer.from(JSON.stringify({ [source.name]: items.map(source.shown) }));
    return this.#keep(key, source.version(), { status: 200, bytes, etag: etagOf(bytes) });
  }

  #inTurn(key: string, source: ListSource<Name, Item, Shown>): Promise<ListResponse<Name, Shown>> {
    const answer = this.#line.then(async () => {
      this.#waiting.delete(key); // a later request may know of a change that comes too late for this response
      const version = source.version();
      const known = this.#responses.get(key);
      if (known?.version === version) return known.answer;
      const built = await inSlices(source);
      return source.version() === version ? this.#keep(key, version, built) : built;
    });
    this.#waiting.set(key, answer);
    this.#line = answer.catch(() => {}); // the requester receives the error
    return answer;
  }

  #keep(key: string, version: number, answer: ListResponse<Name, Shown>): ListResponse<Name, Shown> {
    this.#forget(key);
    const size = answer.bytes.length;
    this.#responses.set(key, { version, answer, size });
    this.#bytes += size;
    for (const oldest of this.#responses.keys()) {
      if (this.#responses.size <= 1 || (this.#responses.size <= MOST_RESPONSES && this.#bytes <= MOST_BYTES)) break;
      this.#forget(oldest);
    }
    return answer;
  }

  #forget(key: string): void {
    this.#bytes -= this.#responses.get(key)?.size ?? 0;
    this.#responses.delete(key);
  }
}

/**
 * The same bytes and ETag as `JSON.stringify` of the whole. An item that changes meanwhile is shown as it is at its
 * turn.
 */
async function inSlices<Name extends string, Item, Shown>({
  name,
  items,
  shown,
}: ListSource<Name, Item, Shown>): Promise<ListResponse<Name, Shown>> {
  const all = items();
  const etag = new ChunkedEtag();
  /**
   * Sized by an estimate from its first slice: joining pieces would take twice the room, and the collector would block
   * everything.
   */
  let bytes = Buffer.alloc(0);
  let length = 0;
  let done = 0;
  const add = (piece: string): void => {
    const needed = length + Buffer.byteLength(piece);
    if (needed > bytes.length) {
      const longer = Buffer.allocUnsafe(Math.ceil(needed * Math.max(1.1, (1.1 * all.length) / Math.max(1, done))));
      bytes.copy(longer, 0, 0, length);
      bytes = longer;
    }
    bytes.write(piece, length);
    etag.add(bytes.subarray(length, needed));
    length = needed;
  };
  let text = `{${JSON.stringify(name)}:[`;
  let comma = "";
  for (const item of all) {
    text += comma + JSON.stringify(shown(item));
    comma = ",";
    done += 1;
    if (text.length < SLICE_CHARACTERS) continue;
    add(text);
    text = "";
    await setImmediate();
  }
  add(`${text}]}`);
  return { status: 200, bytes: bytes.subarray(0, length), etag: etag.end() };
}
