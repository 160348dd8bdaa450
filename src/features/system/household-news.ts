import type { Base } from "../../core/base.ts";
import type { FeedText } from "../../core/text/keys.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";

/**
 * News of the hub itself, in the feed of the household. If the disk refuses writes, health and the log report it too.
 */
export class HouseholdNews {
  readonly #base: Base;
  readonly #feed: FeedFeature;
  readonly #access: AccessFeature;

  constructor(base: Base, { feed, access }: { readonly feed: FeedFeature; readonly access: AccessFeature }) {
    this.#base = base;
    this.#feed = feed;
    this.#access = access;
  }

  /** Records news in a job of its own; never rejects. */
  record(kind: "system.clock" | "system.storage", text: FeedText): void {
    const { database, clock, logger } = this.#base;
    const at = clock.now();
    database
      .write(() => this.recordNow(kind, text, at))
      .catch((error: unknown) => logger.warn({ err: error, text }, "hub news could not be added to the feed"));
  }

  /** The same inside a job that runs. */
  recordNow(kind: "system.clock" | "system.storage", text: FeedText, at = this.#base.clock.now()): void {
    const site = this.#access.accounts.household();
    if (site !== null) this.#feed.record({ siteId: site.id, kind, deviceId: null, text, at });
  }
}
