/** Cameras as the hub answers them, and how the pages name what they hold. */
import type { TextKey } from "../i18n/translate.js";
import { type PlateRead, reads } from "../store.js";

/** A polygon in shares of width and height. */
export type Polygon = readonly (readonly [number, number])[];

/** What makes the hub look through a camera. */
export interface Watch {
  readonly kind: "motion" | "periodic" | "loop" | "onvif" | "manual";
  readonly sensitivity?: number;
  readonly mask?: readonly Polygon[];
  readonly everySeconds?: number;
  readonly deviceId?: string;
  readonly field?: string;
  readonly value?: unknown;
  /** Of the camera's ONVIF service; its sign-in is the source's. */
  readonly address?: string;
}

/** Where pictures come from. */
export interface Source {
  readonly kind: "native" | "snapshot" | "rtsp";
  readonly url?: string;
  /** Only ever sent: no answer has it. */
  readonly password?: string;
  readonly watch?: Watch;
}

/** One camera with its settings (`GET /api/cameras`). */
export interface Camera {
  readonly deviceId: string;
  readonly enabled: boolean;
  readonly direction: "in" | "out" | null;
  readonly approach: "in" | "out" | null;
  readonly insideGate: boolean;
  readonly gate: { readonly deviceId: string; readonly command: Readonly<Record<string, unknown>> } | null;
  readonly source: Source;
  /** Whether the hub has a password for the source. */
  readonly hasPassword: boolean;
  readonly state: "native" | "waiting" | "ok" | "trouble";
  readonly trouble: string | null;
  /** What the trouble is, as a code with values. */
  readonly words?: unknown;
}

/** Word and colour of a camera's state. */
export const STATES: Readonly<Record<Camera["state"], { readonly word: TextKey; readonly tone: string }>> = {
  native: { word: "camera.native", tone: "badge" },
  waiting: { word: "camera.waiting", tone: "badge warn" },
  ok: { word: "camera.ok", tone: "badge good" },
  trouble: { word: "camera.trouble", tone: "badge bad" },
};

/** The last read of a camera whose picture is still kept. */
export function lastPicture(deviceId: string): PlateRead | undefined {
  return reads.value.find((read) => read.deviceId === deviceId && read.hasImage);
}
