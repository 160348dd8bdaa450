import { bodyRefused, type Problem } from "../../core/kernel/problem.ts";
import { detailEnglish } from "../../core/text/english.ts";
import type { Detail } from "../../core/text/keys.ts";

/** What triggers a camera that the hub polls itself. */
type Watch =
  /** Changes in the picture; `mask` lists polygons (0..1 of width and height) in which changes do not count. */
  | { readonly kind: "motion"; readonly sensitivity: number; readonly mask: readonly Polygon[] }
  | { readonly kind: "periodic"; readonly everySeconds: number }
  /** The state of an input device: an induction loop, a light barrier, a bell. */
  | { readonly kind: "loop"; readonly deviceId: string; readonly field: string; readonly value: unknown }
  /** The camera's own motion events, from its ONVIF device service; the sign-in is part of the source's address. */
  | { readonly kind: "onvif"; readonly address: string }
  /** Only when somebody asks. */
  | { readonly kind: "manual" };

/** Corners as fractions of width and height. */
export type Polygon = readonly (readonly [x: number, y: number])[];

/** Where a camera's pictures come from. */
export type CameraSource =
  /** The camera sends captures by MQTT, or pushes them over HTTP. */
  { readonly kind: "native" } | (Pulled & { readonly kind: "snapshot" }) | (Pulled & { readonly kind: "rtsp" });

interface Pulled {
  /** `http(s)://…` of a JPEG, or `rtsp(s)://…`; may carry user and password. */
  readonly url: string;
  readonly watch: Watch;
  /** Frames per burst and the time between two. */
  readonly frames: number;
  readonly gapMs: number;
}

const DEFAULTS = { frames: 4, gapMs: 250, sensitivity: 50, everySeconds: 60 } as const;
const SCHEMES = { snapshot: ["http:", "https:"], rtsp: ["rtsp:", "rtsps:"] } as const;
const MAX_POLYGONS = 16;
const MAX_CORNERS = 32;

/**
 * Reads a source as the console or a provisioning file gives it, and fills in defaults.
 * @throws Problem invalid_body, naming the member
 */
export function parseCameraSource(value: object): CameraSource {
  const given = value as Readonly<Record<string, unknown>>; // members are checked below
  if (given.kind === "native" || given.kind === undefined || given.kind === "push") return { kind: "native" };
  if (given.kind !== "snapshot" && given.kind !== "rtsp") throw invalidSource("/kind", { code: "refusal.camera.kind" });
  return {
    kind: given.kind,
    url: parseUrl(given.url, given.kind),
    watch: parseWatch(given.watch),
    frames: whole(given.frames, "/frames", 1, 12, DEFAULTS.frames),
    gapMs: whole(given.gapMs, "/gapMs", 50, 5_000, DEFAULTS.gapMs),
  };
}

function parseUrl(value: unknown, kind: "snapshot" | "rtsp"): string {
  const url = typeof value === "string" && value.length <= 1_000 && URL.canParse(value) ? new URL(value) : null;
  const schemes: readonly string[] = SCHEMES[kind];
  if (url === null || url.hostname === "" || !schemes.includes(url.protocol))
    throw invalidSource("/url", { code: kind === "rtsp" ? "refusal.camera.rtsp" : "refusal.camera.http" });
  return url.href;
}

function parseWatch(value: unknown): Watch {
  const given = (typeof value === "object" && value !== null ? value : { kind: "motion" }) as Readonly<
    Record<string, unknown>
  >; // members are checked below
  switch (given.kind) {
    case "motion":
      return {
        kind: "motion",
        sensitivity: whole(given.sensitivity, "/watch/sensitivity", 1, 100, DEFAULTS.sensitivity),
        mask: parseMask(given.mask),
      };
    case "periodic":
      return {
        kind: "periodic",
        everySeconds: whole(given.everySeconds, "/watch/everySeconds", 1, 86_400, DEFAULTS.everySeconds),
      };
    case "loop":
      return {
        kind: "loop",
        deviceId: name(given.deviceId, "/watch/deviceId"),
        field: name(given.field, "/watch/field"),
        value: given.value ?? true,
      };
    case "onvif":
      return { kind: "onvif", address: parseOnvifAddress(given.address) };
    case "manual":
      return { kind: "manual" };
    default:
      throw invalidSource("/watch/kind", { code: "refusal.camera.watch" });
  }
}

function parseOnvifAddress(value: unknown): string {
  const url = typeof value === "string" && value.length <= 500 && URL.canParse(value) ? new URL(value) : null;
  if (url === null || url.hostname === "" || !["http:", "https:"].includes(url.protocol) || url.username !== "")
    throw invalidSource("/watch/address", { code: "refusal.camera.events" });
  return url.href;
}

function parseMask(value: unknown): Polygon[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MAX_POLYGONS)
    throw invalidSource("/watch/mask", { code: "refusal.camera.polygons", limit: MAX_POLYGONS });
  return value.map((polygon: unknown) => {
    if (!Array.isArray(polygon) || polygon.length < 3 || polygon.length > MAX_CORNERS)
      throw invalidSource("/watch/mask", { code: "refusal.camera.corners", limit: MAX_CORNERS });
    return polygon.map((corner: unknown): readonly [number, number] => {
      if (!Array.isArray(corner) || corner.length !== 2)
        throw invalidSource("/watch/mask", { code: "refusal.camera.corner" });
      const [x, y]: unknown[] = corner;
      if (!isShare(x) || !isShare(y)) throw invalidSource("/watch/mask", { code: "refusal.camera.share" });
      return [x, y];
    });
  });
}

function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function whole(value: unknown, field: string, least: number, most: number, otherwise: number): number {
  if (value === undefined || value === null) return otherwise;
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most)
    throw invalidSource(field, { code: "refusal.camera.whole", least, most });
  return value;
}

function name(value: unknown, field: string): string {
  if (typeof value !== "string" || value.length === 0 || value.length > 64)
    throw invalidSource(field, { code: "refusal.camera.name" });
  return value;
}

/** The refusal of a member of a source. */
export function invalidSource(field: string, words: Detail): Problem {
  return bodyRefused(`/source${field}`, "invalid", words, `source${field} ${detailEnglish(words)}.`);
}
