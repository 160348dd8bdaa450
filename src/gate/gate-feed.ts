import type { FeedKind } from "../contract/feed-kinds.js";
import type { Decision } from "../domain/plates/decide.js";
import type { UnrecognisedReason } from "../domain/plates/reading.js";
import type { Clock } from "../kernel/clock.js";
import type { Database } from "../storage/database.js";
import type { PlateReadRow } from "../storage/tables/plate-read.js";
import type { Camera } from "./camera-settings.js";
import type { FindDevice, RecordFeed } from "./ports.js";
import type { GateTables } from "./tables.js";

/** What {@link GateFeed} needs. */
export interface GateFeedOptions {
  readonly database: Database;
  readonly tables: GateTables;
  readonly device: FindDevice;
  readonly recordFeed: RecordFeed;
  readonly clock: Clock;
}

const KINDS: Readonly<Record<Decision, { readonly kind: FeedKind; readonly verb: string }>> = {
  allow: { kind: "plate.allowed", verb: "allowed" },
  deny: { kind: "plate.denied", verb: "denied" },
  watch: { kind: "plate.watch", verb: "seen (watch list)" },
  unknown: { kind: "plate.unknown", verb: "seen (on no list)" },
};

const REASONS: Readonly<Record<UnrecognisedReason, string>> = {
  no_recogniser: "No recogniser is loaded.",
  no_plate: "No plate was seen.",
  invalid_format: "A plate was seen that could not be made out.",
  timeout: "Reading took too long.",
  provider_error: "The pictures could not be read.",
};

const DIRECTIONS = { in: "entering", out: "leaving" } as const;
/** One item per camera and reason in this time: a camera pointed at an empty lane must not fill the feed. */
const QUIET_MS = 600_000;
/** Most cameras whose last item is remembered. */
const MAX_REMEMBERED = 1_000;

/** Words of the gate for the activity feed. */
export class GateFeed {
  readonly #options: GateFeedOptions;
  readonly #lastAt = new Map<string, number>();

  constructor(options: GateFeedOptions) {
    this.#options = options;
  }

  /** A recognised pass. A watch rule always notifies, whichever rule decides. Called inside a job. */
  decided(camera: Camera, row: PlateReadRow, ruleId: number | null, isWatched: boolean): void {
    const label = ruleId === null ? "" : (this.#options.tables.rules.find(camera.siteId, ruleId)?.label ?? "");
    this.#record(camera, row, KINDS[row.decision], label);
    if (isWatched && row.decision !== "watch") this.#record(camera, row, KINDS.watch, label);
  }

  /** A burst without a plate. Empty pictures are no news. Called inside a job. */
  unrecognised(camera: Camera, row: PlateReadRow): void {
    const reason = row.reason ?? "no_plate";
    if (reason === "no_plate" || !this.#isNews(`${camera.deviceId} ${reason}`)) return;
    const title = `Plate not recognised at ${this.#name(camera)}`;
    const words = { code: `plate.${reason}`, camera: this.#name(camera) };
    this.#options.recordFeed({ siteId: camera.siteId, kind: "plate.unrecognised", deviceId: camera.deviceId, title, body: REASONS[reason], words, at: row.at });
  }

  /** The gate was to open and did not get its command. */
  async gateFailed(camera: Camera, formatted: string, error: unknown): Promise<void> {
    const title = `The gate did not take its command for ${formatted}`;
    const body = error instanceof Error ? error.message : String(error);
    const entry = {
      siteId: camera.siteId,
      kind: "command.failed" as const,
      deviceId: camera.gate?.deviceId ?? null,
      title,
      body,
      words: { code: "gate.failed", plate: formatted, why: body },
      aboutVehicles: true,
      at: this.#options.clock.now(),
    };
    await this.#options.database.write(() => this.#options.recordFeed(entry)).catch(() => undefined); // logged by the caller; a full disk takes no feed item either
  }

  #record(camera: Camera, row: PlateReadRow, { kind, verb }: { readonly kind: FeedKind; readonly verb: string }, label: string): void {
    const way = row.direction === null ? "" : `, ${DIRECTIONS[row.direction]}`;
    const title = `${row.formatted} ${verb}`;
    const body = `${label === "" ? "" : `${label}, `}at ${this.#name(camera)}${way}`;
    const words = { code: kind, way: row.direction ?? "seen", plate: row.formatted ?? "", label, camera: this.#name(camera) };
    this.#options.recordFeed({ siteId: camera.siteId, kind, deviceId: camera.deviceId, title, body, words, at: row.at });
  }

  #name(camera: Camera): string {
    return this.#options.device(camera.deviceId)?.name ?? camera.deviceId;
  }

  #isNews(key: string): boolean {
    const now = this.#options.clock.mono();
    const last = this.#lastAt.get(key);
    if (last !== undefined && now - last < QUIET_MS) return false;
    if (this.#lastAt.size >= MAX_REMEMBERED) this.#lastAt.clear();
    this.#lastAt.set(key, now);
    return true;
  }
}
