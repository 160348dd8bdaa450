import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { checkPicture, MAX_PIXELS } from "../../core/kernel/picture-cost.ts";
import type { Trigger } from "../../core/plates/reading.ts";
import { reasonEnglish, reasonOf } from "../../core/text/described-error.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { CameraSource } from "./camera-source.ts";
import type { FrameReading } from "./frame-reading.ts";
import { loadSharp } from "./load-sharp.ts";
import { MOTION_HEIGHT, MOTION_WIDTH, MotionDetector } from "./motion.ts";
import { OnvifEvents } from "./onvif/onvif-events.ts";
import { RtspStream } from "./rtsp.ts";
import { CameraTrouble, pullSnapshot } from "./snapshot.ts";
import { shownUrl } from "./source-secrets.ts";

/** A source that the hub polls itself. */
export type WatchedSource = Exclude<CameraSource, { kind: "native" }>;

/** A camera's state, for the console. */
export interface WatcherState {
  readonly state: "waiting" | "ok" | "trouble";
  /** Null while all is well. */
  readonly trouble: string | Detail | null;
  /** Monotonic time of the latest picture; null before the first. */
  readonly lastFrameMono: number | null;
  readonly address: string;
}

/** How often a camera is checked for motion. */
const MOTION_EVERY_MS = 500;
const STREAM_FPS = { motion: 4, other: 2 } as const;
const SNAPSHOT_TIMEOUT_MS = 5_000;
/** How long a burst of a stream waits for its pictures. */
const STREAM_DEADLINE_MS = 8_000;

/** Watches one camera and makes bursts when its trigger fires. One burst at a time. */
export class CameraWatcher {
  readonly #options: ConstructorParameters<typeof CameraWatcher>[0];
  readonly #motion: MotionDetector | null;
  #stream: RtspStream | null = null;
  #events: OnvifEvents | null = null;
  #eventTrouble: string | Detail | null = null;
  #timer: Timer | null = null;
  #isOpen = false;
  #isLooking = false;
  #isComparing = false;
  #burst: Promise<void> | null = null;
  #trouble: string | Detail | null = null;
  #lastFrameMono: number | null = null;
  #listeners = new Set<(frame: Uint8Array) => void>();

  constructor(options: {
    readonly deviceId: string;
    readonly source: WatchedSource;
    readonly ffmpeg: string;
    readonly maxFrameBytes: number;
    /** Starts to read a burst whose frames arrive one by one; null when reading waits for the whole burst. */
    readonly openReading: () => FrameReading | null;
    /** Takes a burst; an empty one says that the camera delivered nothing. */
    readonly take: (frames: readonly Uint8Array[], trigger: Trigger, reading: FrameReading | null) => Promise<void>;
    /** Called for every picture, including those that become part of no burst. */
    readonly onFrame?: (jpeg: Uint8Array) => void;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    const { watch } = options.source;
    this.#motion = watch.kind === "motion" ? new MotionDetector(watch.sensitivity, watch.mask) : null;
  }

  open(): void {
    const { source, clock } = this.#options;
    this.#isOpen = true;
    if (source.kind === "rtsp") this.#openStream();
    const { watch } = source;
    if (watch.kind === "onvif") this.#openEvents(watch.address);
    else if (watch.kind === "periodic")
      // noted as trouble
      this.#timer = clock.every(watch.everySeconds * 1_000, () => void this.capture("periodic").catch(() => undefined));
    else if (watch.kind === "motion" && source.kind === "snapshot")
      this.#timer = clock.every(MOTION_EVERY_MS, () => void this.#look());
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#timer?.stop();
    await Promise.all([this.#stream?.close(), this.#events?.close()]);
    await this.#burst?.catch(() => undefined);
  }

  state(): WatcherState {
    const trouble = this.#trouble ?? this.#eventTrouble;
    const state = trouble !== null ? "trouble" : this.#lastFrameMono === null ? "waiting" : "ok";
    return { state, trouble, lastFrameMono: this.#lastFrameMono, address: shownUrl(this.#options.source.url) };
  }

  /**
   * Makes a burst now; if one is being made, waits for that one. A camera that delivers nothing makes one empty burst
   * until it is back.
   */
  capture(trigger: Trigger): Promise<void> {
    this.#burst ??= this.#capture(trigger).finally(() => {
      this.#burst = null;
    });
    return this.#burst;
  }

  /**
   * Asks the camera for one picture, for somebody who is looking. True where one will come by itself: from a stream.
   */
  async look(): Promise<boolean> {
    if (this.#options.source.kind === "rtsp") return true;
    await this.#pull();
    return false;
  }

  async #capture(trigger: Trigger): Promise<void> {
    const hadTrouble = this.#trouble !== null;
    const reading = this.#options.openReading();
    const frames: Uint8Array[] = [];
    const gather = (frame: Uint8Array): void => {
      reading?.add(frames.length, frame);
      frames.push(frame);
    };
    if (this.#options.source.kind === "rtsp") await this.#streamFrames(gather);
    else await this.#snapshots(gather);
    if (frames.length > 0 || !hadTrouble || trigger === "manual") await this.#options.take(frames, trigger, reading);
    else reading?.drop();
  }

  async #snapshots(gather: (frame: Uint8Array) => void): Promise<void> {
    const { frames: count, gapMs } = this.#options.source;
    for (let i = 0; i < count && this.#isOpen; i++) {
      if (i > 0) await this.#pause(gapMs);
      const frame = await this.#pull();
      if (frame === null) break;
      gather(frame);
    }
  }

  #streamFrames(gather: (frame: Uint8Array) => void): Promise<void> {
    const { source, clock } = this.#options;
    return new Promise((resolve) => {
      let count = 0;
      const end = (): void => {
        timer.stop();
        this.#listeners.delete(listen);
        if (count === 0) this.#trouble ??= { code: "camera.streamSilent" };
        resolve();
      };
      const timer = clock.after(STREAM_DEADLINE_MS, end);
      const listen = (frame: Uint8Array): void => {
        count += 1;
        gather(frame);
        if (count >= source.frames) end();
      };
      this.#listeners.add(listen);
    });
  }

  #openStream(): void {
    const { source, ffmpeg, maxFrameBytes, clock, logger } = this.#options;
    this.#stream = new RtspStream({
      url: source.url,
      framesPerSecond: source.watch.kind === "motion" ? STREAM_FPS.motion : STREAM_FPS.other,
      maxFrameBytes,
      ffmpeg,
      onFrame: (frame) => {
        this.#noteFrame(frame);
        for (const listen of [...this.#listeners]) listen(frame);
        void this.#lookAt(frame);
      },
      onTrouble: (reason) => {
        this.#trouble = reason;
      },
      clock,
      logger,
    });
    this.#stream.open();
  }

  /** Listens to a camera that detects motion itself. */
  #openEvents(address: string): void {
    const { source, clock, logger } = this.#options;
    const { username, password } = new URL(source.url);
    this.#events = new OnvifEvents({
      address,
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      onMotion: () => void this.capture("motion").catch((error: unknown) => this.#note(error)),
      onTrouble: (reason) => {
        this.#eventTrouble = reason;
      },
      clock,
      logger,
    });
    this.#events.open();
  }

  /** Checks a snapshot camera for motion once. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#burst !== null) return;
    this.#isLooking = true;
    const hadTrouble = this.#trouble !== null;
    const frame = await this.#pull();
    this.#isLooking = false;
    if (frame !== null) await this.#lookAt(frame);
    else if (!hadTrouble && this.#isOpen)
      await this.#options.take([], "motion", null).catch((error: unknown) => this.#note(error));
  }

  async #lookAt(frame: Uint8Array): Promise<void> {
    // One at a time: decoding takes a thread that the disk needs too, and large pictures come faster than it is done.
    if (this.#motion === null || this.#burst !== null || this.#isComparing) return;
    this.#isComparing = true;
    try {
      // loaded only once a camera is watched for motion: everything else about pictures is the recogniser's
      checkPicture(frame);
      const sharp = await loadSharp();
      const options = { fit: "fill", kernel: "linear" } as const;
      const grey = sharp(frame, { failOn: "error", limitInputPixels: MAX_PIXELS })
        .resize(MOTION_WIDTH, MOTION_HEIGHT, options)
        .greyscale();
      const { data, info } = await grey.raw().toBuffer({ resolveWithObject: true });
      if (this.#motion.sees({ data, width: info.width, height: info.height }) && this.#isOpen)
        await this.capture("motion");
    } catch (error) {
      this.#note(error);
    } finally {
      this.#isComparing = false;
    }
  }

  async #pull(): Promise<Uint8Array | null> {
    const { source, maxFrameBytes } = this.#options;
    try {
      const frame = await pullSnapshot(source.url, { timeoutMs: SNAPSHOT_TIMEOUT_MS, maxBytes: maxFrameBytes });
      this.#noteFrame(frame);
      return frame;
    } catch (error) {
      this.#note(error);
      return null;
    }
  }

  #noteFrame(frame: Uint8Array): void {
    this.#trouble = null;
    this.#lastFrameMono = this.#options.clock.mono();
    this.#options.onFrame?.(frame);
  }

  #note(error: unknown): void {
    const trouble =
      error instanceof CameraTrouble ? reasonOf(error) : ({ code: "camera.unusable", why: reasonOf(error) } as const);
    const message = reasonEnglish(trouble);
    if (this.#trouble === null || reasonEnglish(this.#trouble) !== message)
      this.#options.logger.warn({ deviceId: this.#options.deviceId, trouble: message }, "a camera gives no pictures");
    this.#trouble = trouble;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(ms, resolve));
  }
}
