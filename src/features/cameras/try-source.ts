import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { checkPicture, MAX_PIXELS } from "../../core/kernel/picture-cost.ts";
import { reasonOf } from "../../core/text/described-error.ts";
import type { WatchedSource } from "./camera-watcher.ts";
import { loadSharp } from "./load-sharp.ts";
import { RtspStream } from "./rtsp.ts";
import { CameraTrouble, pullSnapshot } from "./snapshot.ts";

/** One picture from an address, small enough to be shown; `width` and `height` are the camera's own. */
export interface TriedPicture {
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
}

const SNAPSHOT_MS = 5_000;
/** A stream starts with its next key frame; some cameras send one every ten seconds. */
const STREAM_MS = 12_000;
const SHOWN_WIDTH = 960;

/**
 * Tries an address once, before it is anybody's source. The picture is decoded and encoded again: what is not a picture
 * is never shown, so nobody can read other pages of the network through it.
 * @throws CameraTrouble, in words for the owner
 */
export async function trySource(
  source: WatchedSource,
  options: {
    /** Path of ffmpeg. */
    readonly ffmpeg: string;
    readonly maxFrameBytes: number;
    readonly clock: Clock;
    readonly logger: Logger;
  },
): Promise<TriedPicture> {
  const limits = { timeoutMs: SNAPSHOT_MS, maxBytes: options.maxFrameBytes };
  const frame =
    source.kind === "rtsp" ? await firstOfStream(source.url, options) : await pullSnapshot(source.url, limits);
  const sharp = await loadSharp().catch((error: unknown) => {
    throw new CameraTrouble({ code: "camera.unusable", why: reasonOf(error) }, { cause: error });
  });
  try {
    checkPicture(frame);
    const picture = sharp(frame, { failOn: "error", limitInputPixels: MAX_PIXELS });
    const { width, height } = await picture.metadata();
    const jpeg = await picture
      .resize({ width: SHOWN_WIDTH, withoutEnlargement: true })
      .jpeg({ quality: 80 })
      .toBuffer();
    return { jpeg, width, height };
  } catch (error) {
    throw new CameraTrouble({ code: "camera.notAPicture" }, { cause: error });
  }
}

async function firstOfStream(
  url: string,
  { ffmpeg, maxFrameBytes, clock, logger }: Parameters<typeof trySource>[1],
): Promise<Uint8Array> {
  let stream: RtspStream | null = null;
  try {
    return await new Promise<Uint8Array>((resolve, reject) => {
      const timer = clock.after(STREAM_MS, () => reject(new CameraTrouble({ code: "camera.streamSilent" })));
      const end = (finish: () => void): void => {
        timer.stop();
        finish();
      };
      stream = new RtspStream({
        url,
        framesPerSecond: 2,
        maxFrameBytes,
        ffmpeg,
        onFrame: (jpeg) => end(() => resolve(jpeg)),
        onTrouble: (message) => end(() => reject(new CameraTrouble(message))),
        clock,
        logger,
      });
      stream.open();
    });
  } finally {
    // Assigned in the promise's own function, which the compiler does not follow.
    await (stream as RtspStream | null)?.close();
  }
}
