import type { NewFeedItem } from "../../core/api/feed-kinds.ts";
import type { Base } from "../../core/base.ts";
import type { Decision } from "../../core/plates/decide.ts";
import type { NotToldReason } from "../../core/plates/opening.ts";
import { reasonOf } from "../../core/text/described-error.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { Feed } from "../feed/feed.ts";
import type { ActingCamera } from "./camera-settings.ts";
import type { PlateReadRow } from "./tables/plate-read.ts";
import type { PlateRuleRow } from "./tables/plate-rule.ts";
import type { GateTables } from "./tables.ts";

/** The listed plate that an unlisted one may be. */
type Meant = Pick<PlateRuleRow, "plate" | "formatted" | "label">;

const KINDS = {
  allow: "plate.allowed",
  deny: "plate.denied",
  watch: "plate.watch",
  unknown: "plate.unknown",
} as const satisfies Record<Decision, string>;
/** The same for who may go in because the gate stands open. */
const OPEN_CODES = {
  deny: "plate.denied_open",
  watch: "plate.watch_open",
  unknown: "plate.unknown_open",
} as const satisfies Record<Exclude<Decision, "allow">, string>;

/** The text of an item for a read. */
function codeOf({ decision, notTold, gateWasOpen }: Pick<PlateReadRow, "decision" | "notTold" | "gateWasOpen">) {
  if (decision === "allow") return notTold === "noted" ? "plate.noted" : KINDS.allow;
  return gateWasOpen === 1 ? OPEN_CODES[decision] : KINDS[decision];
}

/** One item per camera and reason in this time: a camera pointed at an empty lane must not fill the feed. */
const QUIET_MS = 600_000;
/** Most cameras whose last item is remembered. */
const MAX_REMEMBERED = 1_000;

interface Siblings {
  readonly tables: GateTables;
  readonly registry: DeviceRegistry;
  readonly feed: Feed;
}

/** Words of the gate for the activity feed. */
export class GateFeed {
  readonly #base: Base;
  readonly #siblings: Siblings;
  readonly #lastAt = new Map<string, number>();

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** A recognised pass. A watch rule always notifies, whichever rule decides. Called inside a job. */
  decided(
    camera: ActingCamera,
    row: PlateReadRow,
    {
      ruleId,
      isWatched,
      meant,
    }: { readonly ruleId: number | null; readonly isWatched: boolean; readonly meant: Meant | null },
  ): void {
    const label = ruleId === null ? "" : (this.#siblings.tables.rules.find(camera.siteId, ruleId)?.label ?? "");
    if (row.notTold === "asked") this.#asked(camera, row, meant?.label ?? label, meant);
    else if (row.notTold === "already_inside" || row.notTold === "elsewhere" || row.notTold === "presented")
      this.keptShut(row, row.notTold, null);
    else this.#record(camera, row, KINDS[row.decision], label, codeOf(row));
    if (isWatched && row.decision !== "watch")
      this.#record(camera, row, KINDS.watch, label, codeOf({ ...row, decision: "watch" }));
  }

  /** A burst without a plate. Empty pictures are no news. Called inside a job. */
  unrecognised(camera: ActingCamera, row: PlateReadRow): void {
    const reason = row.reason ?? "no_plate";
    if (reason === "no_plate" || !this.#isDue(`${camera.deviceId} ${reason}`)) return;
    const text = { code: `plate.${reason}`, camera: this.#name(camera) } as const;
    this.#siblings.feed.record({
      siteId: camera.siteId,
      kind: "plate.unrecognised",
      deviceId: camera.deviceId,
      text,
      readId: row.id,
      at: row.at,
    });
  }

  /**
   * Somebody was asked about a read, and the gate stayed shut. Called inside a job.
   * @param by who decided so; null: nobody
   */
  keptShut(read: PlateReadRow, why: NotToldReason, by: string | null): void {
    const { clock } = this.#base;
    const { tables } = this.#siblings;
    const [kind = "", id = ""] = by?.split(":") ?? [];
    const who = tables.openings.nameOf(kind, Number(id)) ?? "";
    this.#siblings.feed.record({
      siteId: read.siteId,
      kind: "gate.kept_shut",
      deviceId: read.deviceId,
      text: {
        code: "gate.kept_shut",
        plate: read.formatted ?? "",
        why: who === "" && why === "kept_shut" ? "key" : why,
        who,
      },
      plates: read.plate === null ? [] : [read.plate],
      readId: read.id,
      by: tables.openings.accountOf(by ?? ""),
      at: clock.now(),
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
      at: this.#base.clock.now(),
    };
    // logged by the caller; a full disk takes no feed item either
    await this.#base.database.write(() => this.#siblings.feed.record(item)).catch(() => undefined);
  }

  #asked(camera: ActingCamera, row: PlateReadRow, label: string, meant: Meant | null): void {
    const text = {
      code: "gate.asked",
      way: row.direction ?? "seen",
      plate: row.formatted ?? "",
      labelled: label === "" ? "no" : "yes",
      label,
      near: meant === null ? "no" : "yes",
      meant: meant?.formatted ?? "",
      camera: this.#name(camera),
    } as const;
    const plates = [row.plate, meant?.plate].flatMap((plate) => plate ?? []);
    const { siteId, deviceId } = camera;
    this.#siblings.feed.record({ siteId, kind: "gate.asked", deviceId, text, plates, readId: row.id, at: row.at });
  }

  #record(
    camera: ActingCamera,
    row: PlateReadRow,
    kind: (typeof KINDS)[Decision],
    label: string,
    code: ReturnType<typeof codeOf>,
  ): void {
    const labelled = label === "" ? "no" : "yes";
    const text = {
      code,
      way: row.direction ?? "seen",
      plate: row.formatted ?? "",
      labelled,
      label,
      camera: this.#name(camera),
    } as const;
    const plates = row.plate === null ? [] : [row.plate];
    this.#siblings.feed.record({
      siteId: camera.siteId,
      kind,
      deviceId: camera.deviceId,
      text,
      plates,
      readId: row.id,
      at: row.at,
    });
  }

  #name(camera: ActingCamera): string {
    return this.#siblings.registry.find(camera.deviceId)?.name ?? camera.deviceId;
  }

  #isDue(key: string): boolean {
    const now = this.#base.clock.mono();
    const last = this.#lastAt.get(key);
    if (last !== undefined && now - last < QUIET_MS) return false;
    if (this.#lastAt.size >= MAX_REMEMBERED) this.#lastAt.clear();
    this.#lastAt.set(key, now);
    return true;
  }
}
