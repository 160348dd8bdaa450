import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { Detail } from "../../../core/text/keys.ts";
import {
  getCameraFrame,
  lookThroughSource,
  previewCamera,
  type SeenPlate,
  tryPicture,
} from "../api/console-camera-view.ts";
import { shownTrouble } from "./console-plates.ts";

/** A picture of a camera; `at` is epoch milliseconds. */
interface Frame {
  readonly jpeg: Uint8Array;
  readonly at: number;
}

/** What was seen in one picture. */
interface SeenInPicture {
  readonly plates: readonly SeenPlate[];
  readonly reason: string | null;
  readonly tookMs: number;
}

/** A picture of an address that was tried; the size is the camera's own. */
interface TriedPicture {
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** What looking through cameras asks of the hub. */
export interface CameraView {
  /** @throws Problem `device_not_found` unless the household has this camera. */
  readonly check: (siteId: number, deviceId: string) => void;
  /** The latest picture; `fresh` asks the camera once. Null when there is none. */
  readonly frame: (asked: {
    readonly siteId: number;
    readonly deviceId: string;
    readonly fresh: boolean;
    readonly actor: string;
  }) => Promise<Frame | null>;
  /**
   * One picture from a source that is not set yet, or why there is none.
   * @throws Problem invalid_body for what is no such source.
   */
  readonly testSource: (
    source: object,
  ) => Promise<{ readonly picture: TriedPicture } | { readonly trouble: string | Detail }>;
  /** Reads one picture and keeps nothing. */
  readonly read: (jpeg: Uint8Array) => Promise<SeenInPicture>;
}

/** Pictures that may wait to be read for people who look; gates come first in any case. */
const MOST_LOOKING = 4;
/** Addresses that may be tried at a time; each stream is a process. */
const MOST_TRYING = 2;

/** What cameras show now, and where plates are in it. */
export function cameraViewRoutes({ check, frame, read, testSource }: CameraView): BoundRoute[] {
  let looking = 0;
  const look = async (jpeg: Uint8Array) => {
    if (looking >= MOST_LOOKING) throw new Problem("unavailable", { code: "unavailable.recogniserBusy" });
    looking += 1;
    try {
      const { plates, reason, tookMs } = await read(jpeg);
      return { plates: [...plates], reason, tookMs: Math.round(tookMs) };
    } finally {
      looking -= 1;
    }
  };
  return [
    bind(getCameraFrame, async ({ caller, params, query }) => {
      check(caller.siteId, params.id);
      const latest = await frame({
        siteId: caller.siteId,
        deviceId: params.id,
        fresh: query.fresh ?? false,
        actor: caller.actor,
      });
      if (latest === null) return { status: 204 };
      return {
        status: 200,
        bytes: Buffer.from(latest.jpeg),
        contentType: "image/jpeg",
        headers: { "Last-Modified": new Date(latest.at).toUTCString(), "Cache-Control": "private, no-store" },
      };
    }),
    bind(previewCamera, async ({ caller, params }) => {
      check(caller.siteId, params.id);
      const latest = await frame({ siteId: caller.siteId, deviceId: params.id, fresh: true, actor: caller.actor });
      if (latest === null) return { status: 200, body: { preview: null } };
      const seen = await look(latest.jpeg);
      return {
        status: 200,
        body: { preview: { at: isoTime(latest.at), jpeg: Buffer.from(latest.jpeg).toString("base64"), ...seen } },
      };
    }),
    tryRoute(testSource),
    bind(tryPicture, async ({ bytes }) => ({ status: 200, body: await look(bytes) })),
  ];
}

function tryRoute(testSource: CameraView["testSource"]): BoundRoute {
  let trying = 0;
  return bind(lookThroughSource, async ({ body }) => {
    if (trying >= MOST_TRYING) throw new Problem("unavailable", { code: "unavailable.addressesTried" });
    trying += 1;
    try {
      const tried = await testSource(body.source);
      if ("trouble" in tried) return { status: 200, body: { picture: null, ...shownTrouble(tried.trouble) } };
      const { jpeg, width, height } = tried.picture;
      return {
        status: 200,
        body: { picture: { jpeg: Buffer.from(jpeg).toString("base64"), width, height }, trouble: null },
      };
    } finally {
      trying -= 1;
    }
  });
}
