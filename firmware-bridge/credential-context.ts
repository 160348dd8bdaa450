import { filterMatches } from "../src/core/kernel/topic-tree.ts";
import type { Members } from "./members.ts";

/** What the bridge needs to know about an accepted credential. */
export interface Credential {
  readonly id: number;
  /** The owner's name for it. */
  readonly name: string;
  /** The families for which it was accepted. */
  readonly families: readonly string[];
}

/** Most messages kept that came before the announcement which gives them a meaning. */
const MOST_EARLY = 256;
const MOST_EARLY_BYTES = 128 * 1024;

/**
 * One active credential with its own instances of its families: its messages affect only what they know about its own
 * devices. The site's own broker is one too.
 */
export class CredentialContext {
  readonly client: number;
  readonly name: string;
  readonly members: Members;
  readonly #early = new Map<string, Uint8Array>();
  #earlyBytes = 0;

  constructor(options: { readonly client: number; readonly name: string; readonly members: Members }) {
    this.client = options.client;
    this.name = options.name;
    this.members = options.members;
  }

  /**
   * Keeps a retained message on a topic that the credential does not hold yet; only its own families receive it, when
   * they ask. Returns whether there was room.
   */
  keepEarly(topic: string, payload: Uint8Array): boolean {
    const known = this.#early.get(topic)?.byteLength ?? 0;
    this.#early.delete(topic);
    this.#earlyBytes -= known;
    if (payload.byteLength === 0) return true;
    if (this.#early.size >= MOST_EARLY || this.#earlyBytes + payload.byteLength > MOST_EARLY_BYTES) return false;
    this.#early.set(topic, payload);
    this.#earlyBytes += payload.byteLength;
    return true;
  }

  /** Takes out early messages on matching topics that the credential has by now. */
  takeEarly(
    filter: string,
    isOwn: (topic: string) => boolean,
  ): { readonly topic: string; readonly payload: Uint8Array }[] {
    const found = [...this.#early]
      .filter(([topic]) => filterMatches(filter, topic) && isOwn(topic))
      .map(([topic, payload]) => ({ topic, payload }));
    for (const { topic, payload } of found) {
      this.#early.delete(topic);
      this.#earlyBytes -= payload.byteLength;
    }
    return found;
  }
}
