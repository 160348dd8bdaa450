import type { NewFeedItem, RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Decision } from "../../core/plates/decide.ts";
import type { Database } from "../../core/storage/database.ts";
import { reasonOf } from "../../core/text/described-error.ts";
import type { ActingCamera } from "./camera-settings.ts";
import type { FindDevice } from "./ports.ts";
import type { PlateReadRow } from "./tables/plate-read.ts";
import type { GateTables } from "./tables.ts";

/** What {@link GateFeed} needs. */
export interface GateFeedOptions {
  readonly database: Database;
  readonly tables: GateTables;
  readonly device: FindDevice;
  readonly recordFeed: RecordFeedItem;
  readonly clock: Clock;
}

const KINDS = {
  allow: "plate.allowed",
  deny: "plate.denied",
  watch: "plate.watch",
  unknown: "plate.unknown",
} as const satisfies Record<Decision, string>;
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
  decided(camera: ActingCamera, row: PlateReadRow, ruleId: number | null, isWatched: boolean): void {
    const label = ruleId === null ? "" : (this.#options.tables.rules.find(camera.siteId, ruleId)?.label ?? "");
    this.#record(camera, row, KINDS[row.decision], label);
    if (isWatched && row.decision !== "watch") this.#record(camera, row, KINDS.watch, label);
  }

  /** A burst without a plate. Empty pictures are no news. Called inside a job. */
  unrecognised(camera: ActingCamera, row: PlateReadRow): void {
    const reason = row.reason ?? "no_plate";
    if (reason === "no_plate" || !this.#isDue(`${camera.deviceId} ${reason}`)) return;
    const text = { code: `plate.${reason}`, camera: this.#name(camera) } as const;
    this.#options.recordFeed({
      siteId: camera.siteId,
      kind: "plate.unrecognised",
      deviceId: camera.deviceId,
      text,
      at: row.at,
    });
  }

  /** The gate was to open and did not get its command. */
  async gateFailed(
    camera: ActingCamera,
    { plate, formatted }: { readonly plate: string; readonly formatted: string },
    error: unknown,
  ): Promise<void> {
    const item: NewFeedItem = {
      siteId: camera.siteId,
      kind: "command.failed",
      deviceId: camera.gate?.deviceId ?? null,
      text: { code: "gate.failed", plate: formatted, why: reasonOf(error) },
      plates: [plate],
      aboutVehicles: true,
      at: this.#options.clock.now(),
    };
    // logged by the caller; a full disk takes no feed item either
    await this.#options.database.write(() => this.#options.recordFeed(item)).catch(() => undefined);
  }

  #record(camera: ActingCamera, row: PlateReadRow, kind: (typeof KINDS)[Decision], label: string): void {
    const labelled = label === "" ? "no" : "yes";
    const text = {
      code: kind,
      way: row.direction ?? "seen",
      plate: row.formatted ?? "",
      labelled,
      label,
      camera: this.#name(camera),
    } as const;
    const plates = row.plate === null ? [] : [row.plate];
    this.#options.recordFeed({ siteId: camera.siteId, kind, deviceId: camera.deviceId, text, plates, at: row.at });
  }

  #name(camera: ActingCamera): string {
    return this.#options.device(camera.deviceId)?.name ?? camera.deviceId;
  }

  #isDue(key: string): boolean {
    const now = this.#options.clock.mono();
    const last = this.#lastAt.get(key);
    if (last !== undefined && now - last < QUIET_MS) return false;
    if (this.#lastAt.size >= MAX_REMEMBERED) this.#lastAt.clear();
    this.#lastAt.set(key, now);
    return true;
  }
}
