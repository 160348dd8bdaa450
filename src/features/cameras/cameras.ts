/**
 * The cameras that the hub polls itself (HTTP snapshots, RTSP streams) and the entry points for pictures that are sent
 * to it. In: the settings of each camera, triggers. Out: bursts, through {@link Captures}. It must not know plates,
 * rules or storage.
 */

import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { Direction, Trigger } from "../../core/plates/reading.ts";
import type { BurstTaker, CameraSetup } from "./burst-taker.ts";
import { invalidSource, parseCameraSource } from "./camera-source.ts";
import { CameraWatcher, type WatcherState } from "./camera-watcher.ts";
import type { Captures } from "./captures.ts";
import type { FrameReading } from "./frame-reading.ts";
import { type LatestFrame, LatestFrames } from "./latest-frames.ts";
import { type DiscoveredCamera, discoverOnvif } from "./onvif/discovery.ts";
import { inspectOnvif, type OnvifAccess, type OnvifDescription } from "./onvif/onvif-camera.ts";
import { CameraTrouble } from "./snapshot.ts";
import { completedSource } from "./source-secrets.ts";
import { type TriedPicture, trySource } from "./try-source.ts";

/** How long cameras may take to answer a search. */
const SEARCH_MS = 3_000;
/** A picture younger than this is not requested again. */
const FRESH_MS = 1_000;
/** How long somebody who is looking waits for a new picture. */
const LOOK_MS = 5_000;
/** Most cameras that the hub polls. */
const MAX_WATCHED = 32;

/** All cameras of the hub. */
export class Cameras implements Service {
  readonly name = "cameras";
  /** The latest picture of each camera, by whatever way it came. */
  readonly latest: LatestFrames;
  readonly #options: ConstructorParameters<typeof Cameras>[0];
  readonly #watchers = new Map<string, CameraWatcher>();
  readonly #loops = new Map<string, { readonly watched: string; readonly field: string; readonly value: unknown }>();
  #isRunning = false;
  #search: Promise<readonly DiscoveredCamera[]> | null = null;
  /** The latest settings of each camera that was changed: of many changes at once only the last is applied. */
  readonly #wanted = new Map<string, CameraSetup>();
  /** Changes of cameras run one at a time. */
  #line: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly captures: Captures;
    /** Starts to read a burst of this device frame by frame. */
    readonly openReading: (deviceId: string) => FrameReading | null;
    /** Knows all cameras with settings; asked at start. */
    readonly taker: () => { readonly settings: Pick<BurstTaker["settings"], "all"> };
    /** Path of ffmpeg. */
    readonly ffmpeg: string;
    readonly maxFrameBytes: number;
    /** IPv4 addresses of this box, for the search for cameras. */
    readonly interfaces: () => readonly string[];
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.latest = new LatestFrames(options.clock);
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    // the gate opens without a camera whose stored settings cannot be used, as after restoring another version's backup
    for (const camera of this.#options.taker().settings.all())
      await this.#configure(camera).catch((error: unknown) =>
        this.#options.logger.error({ deviceId: camera.deviceId, err: error }, "a camera is left out"),
      );
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#line;
    await Promise.all([...this.#watchers.values()].map((watcher) => watcher.close()));
    this.#watchers.clear();
    this.#loops.clear();
  }

  /** Applies changed settings, unless later ones have come meanwhile; does nothing before start and after stop. */
  configure(camera: CameraSetup): Promise<void> {
    this.#wanted.set(camera.deviceId, camera);
    const isLatest = (): boolean => this.#isRunning && this.#wanted.get(camera.deviceId) === camera;
    const change = this.#line.then(() => (isLatest() ? this.#configure(camera) : undefined));
    this.#line = change.catch(() => undefined); // those after it are changed all the same
    return change;
  }

  /** The state of the cameras that the hub polls, by device id. */
  states(): ReadonlyMap<string, WatcherState> {
    return new Map([...this.#watchers].map(([deviceId, watcher]) => [deviceId, watcher.state()]));
  }

  /** Makes a burst now, on request. @throws Problem conflict when the hub cannot poll this camera */
  async capture(deviceId: string): Promise<void> {
    const watcher = this.#watchers.get(deviceId);
    if (watcher === undefined) throw new Problem("conflict", { code: "conflict.cameraSends" });
    await watcher.capture("manual");
  }

  /**
   * The latest picture; with `fresh`, the camera is asked once, unless its picture is less than a second old. `ask`
   * reaches a camera that sends by itself, and says whether a picture can be expected. Null when there is none.
   */
  async frame(
    deviceId: string,
    options: { readonly fresh: boolean; readonly ask: () => Promise<boolean> },
  ): Promise<LatestFrame | null> {
    const known = this.latest.get(deviceId);
    if (!options.fresh || (known !== null && this.#options.clock.mono() - known.mono < FRESH_MS)) return known;
    const next = this.latest.next(deviceId, LOOK_MS);
    const watcher = this.#watchers.get(deviceId);
    const isComing = watcher === undefined ? await options.ask() : await watcher.look();
    return (isComing ? await next : null) ?? this.latest.get(deviceId);
  }

  /** Searches the network for ONVIF cameras; a request during a search gets its result. */
  discover(): Promise<readonly DiscoveredCamera[]> {
    this.#search ??= discoverOnvif({ interfaces: this.#options.interfaces(), waitMs: SEARCH_MS }).finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  /** Asks an ONVIF camera for its addresses. @throws Problem conflict, in words for the owner. */
  async inspect(access: OnvifAccess): Promise<OnvifDescription> {
    try {
      return await inspectOnvif(access);
    } catch (error) {
      if (error instanceof CameraTrouble)
        throw new Problem("conflict", `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`, {
          cause: error,
          words: error.words,
        });
      throw error;
    }
  }

  /**
   * One picture from a source that is not set up yet.
   * @throws CameraTrouble in words for the owner; Problem invalid_body for a source that the hub cannot poll
   */
  testSource(source: object): Promise<TriedPicture> {
    const parsed = parseCameraSource(completedSource(source, {}));
    if (parsed.kind === "native") throw invalidSource("/kind", { code: "refusal.camera.tryKind" });
    const { ffmpeg, maxFrameBytes, clock, logger } = this.#options;
    return trySource(parsed, { ffmpeg, maxFrameBytes, clock, logger });
  }

  /** @throws Problem like {@link Captures.checkRoom} */
  checkRoom(deviceId: string): void {
    this.#options.captures.checkRoom(deviceId);
  }

  /**
   * Takes pictures that somebody sent. Resolves once they are read and stored. @throws Problem like
   * {@link Captures.burst}
   */
  push(
    deviceId: string,
    frames: readonly Uint8Array[],
    about: { readonly trigger?: Trigger; readonly at?: number | null; readonly direction?: Direction | null },
  ) {
    return this.#options.captures.burst(deviceId, frames, {
      trigger: about.trigger ?? "manual",
      at: about.at ?? null,
      direction: about.direction ?? null,
    });
  }

  /** A device's state changed: triggers the cameras that wait for this input. */
  deviceChanged(deviceId: string, state: Readonly<Record<string, unknown>>, changed: readonly string[]): void {
    for (const [camera, loop] of this.#loops) {
      if (loop.watched !== deviceId || !changed.includes(loop.field) || state[loop.field] !== loop.value) continue;
      this.#watchers
        .get(camera)
        ?.capture("loop")
        .catch((error: unknown) => this.#options.logger.warn({ deviceId: camera, err: error }, "a capture failed"));
    }
  }

  async #configure({ deviceId, enabled, source }: CameraSetup): Promise<void> {
    await this.#watchers.get(deviceId)?.close();
    this.#watchers.delete(deviceId);
    this.#loops.delete(deviceId);
    this.latest.forget(deviceId);
    const parsed = parseCameraSource(source);
    if (!enabled || parsed.kind === "native") return;
    const { captures, openReading, ffmpeg, maxFrameBytes, clock, logger } = this.#options;
    if (this.#watchers.size >= MAX_WATCHED) {
      logger.error({ deviceId, most: MAX_WATCHED }, "too many cameras to look through; this one is left out");
      return;
    }
    const take = async (
      frames: readonly Uint8Array[],
      trigger: Trigger,
      reading: FrameReading | null,
    ): Promise<void> => {
      await captures.burst(deviceId, frames, { trigger, at: null, direction: null }, reading);
    };
    const watcher = new CameraWatcher({
      deviceId,
      source: parsed,
      ffmpeg,
      maxFrameBytes,
      openReading: () => openReading(deviceId),
      take,
      onFrame: (jpeg) => this.latest.note(deviceId, jpeg),
      clock,
      logger,
    });
    this.#watchers.set(deviceId, watcher);
    if (parsed.watch.kind === "loop")
      this.#loops.set(deviceId, {
        watched: parsed.watch.deviceId,
        field: parsed.watch.field,
        value: parsed.watch.value,
      });
    watcher.open();
  }
}
