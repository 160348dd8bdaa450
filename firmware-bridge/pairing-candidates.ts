import type { Clock } from "../src/core/kernel/clock.ts";
import type { Logger } from "../src/core/kernel/logger.ts";
import type { Family } from "./family.ts";
import { Members } from "./members.ts";

/** A device that a waiting client has shown. */
export interface PairingCandidate {
  readonly family: string;
  readonly name: string;
}

const MOST_SHOWN = 20;
/** Identifying a device takes no more messages than this. */
const MOST_HEARD = 300;

interface CandidateClient {
  readonly members: Members;
  readonly shown: Map<string, PairingCandidate>;
  heard: number;
}

/**
 * What clients awaiting acceptance announce about themselves. Each has its own family instances, whose effects are
 * discarded: only the names of the devices it would add are kept, for the owner to decide.
 */
export class PairingCandidates {
  readonly #options: ConstructorParameters<typeof PairingCandidates>[0];
  readonly #clients = new Map<number, CandidateClient>();

  constructor(options: {
    readonly families: readonly Family[];
    readonly prefixes: ReadonlyMap<string, string>;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /**
   * Takes an announcement of a waiting client. Returns the family of a device that it has just shown; null for none.
   */
  heard(client: number, topic: string, payload: Uint8Array): string | null {
    const candidate = this.#clients.get(client) ?? this.#enter(client);
    candidate.heard += 1;
    if (candidate.shown.size >= MOST_SHOWN || candidate.heard > MOST_HEARD) return null;
    let family: string | null = null;
    for (const member of candidate.members.listening(topic)) {
      const message = { topic, payload, retained: false, at: this.#options.clock.now() };
      for (const effect of candidate.members.call(member, [], () => member.adapter.message(message))) {
        if (effect.do !== "device" || candidate.shown.size >= MOST_SHOWN) continue;
        family ??= member.family.name;
        candidate.shown.set(`${member.family.name} ${effect.device.key}`, {
          family: member.family.name,
          name: effect.device.name.slice(0, 120),
        });
      }
    }
    return family;
  }

  /** The devices that a client has shown. */
  shown(client: number): readonly PairingCandidate[] {
    return [...(this.#clients.get(client)?.shown.values() ?? [])];
  }

  /** A client no longer waits. */
  leave(client: number): void {
    this.#clients.delete(client);
  }

  #enter(client: number): CandidateClient {
    const { families, prefixes, logger } = this.#options;
    const failed = (family: string, error: unknown): void =>
      logger.warn({ family, err: error }, "a firmware family failed on a client awaiting acceptance");
    const candidate: CandidateClient = {
      heard: 0,
      members: new Members({ families, prefixes, problems: { failed } }),
      shown: new Map(),
    };
    this.#clients.set(client, candidate);
    return candidate;
  }
}
