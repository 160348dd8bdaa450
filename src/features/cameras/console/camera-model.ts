/** Cameras as the hub answers them, and how the pages name their parts. */

import type { TextKey } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { type GateRead, reads } from "../../../console/store.ts";

/** One camera with its settings (`GET /api/cameras`). */
export type Camera = AnswerTo<"GET", "/api/cameras">["cameras"][number];

/** Passwords of cameras that were made since this page was loaded, until somebody has noted them. */
export const givenPasswords = new Map<string, string>();

/** Word and colour of a camera's state. */
export const STATES: Readonly<Record<Camera["state"], { readonly word: TextKey; readonly tone: string }>> = {
  native: { word: "camera.native", tone: "badge" },
  waiting: { word: "camera.waiting", tone: "badge warn" },
  ok: { word: "camera.ok", tone: "badge good" },
  trouble: { word: "camera.trouble", tone: "badge bad" },
};

/** The last read of a camera whose picture is still kept. */
export function lastPicture(deviceId: string): GateRead | undefined {
  return reads.value.find((read) => read.deviceId === deviceId && read.hasImage);
}
