import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Burst, BurstReading, PicturePart } from "../../core/plates/reading.ts";
import { diskSpace } from "../../core/platform/disk.ts";
import { localAddresses } from "../../core/platform/network.ts";
import type { RecognitionFeature } from "../recognition/feature.ts";
import type { PresentedAnswer, PresentedTask } from "../recognition/presented-task.ts";
import type { PictureSender } from "../recognition/turns.ts";
import type { BurstTaker, CameraSetup } from "./burst-taker.ts";
import { Cameras } from "./cameras.ts";
import { Captures } from "./captures.ts";
import type { FrameReading } from "./frame-reading.ts";
import { Spool } from "./spool.ts";

/** Bytes of a nearly full disk that waiting frames may not take: they are the database's. */
const PICTURES_LEAVE = 32 * 1_048_576;

/** The cameras, and what becomes of their frames until they are read. */
export class CamerasFeature implements Feature {
  readonly cameras: Cameras;
  readonly captures: Captures;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #recognition: RecognitionFeature;
  #taker: BurstTaker | null = null;

  constructor(base: Base, recognition: RecognitionFeature) {
    const { bus, clock, dataFolder, settings } = base;
    const { recogniser } = recognition;
    const { maxFrameBytes } = settings().mqtt;
    const logger = base.logger.child({ part: "cameras" });
    const openReading = (deviceId: string): FrameReading | null =>
      this.#taken.gate.takes(deviceId) ? recogniser.open(this.#senderOf(deviceId)) : null;
    this.#base = base;
    this.#recognition = recognition;
    this.captures = new Captures({
      spool: new Spool(join(dataFolder, "spool"), () => diskSpace(dataFolder).freeBytes >= PICTURES_LEAVE),
      openReading,
      taker: () => this.#taken,
      maxFrameBytes,
      clock,
      logger,
    });
    this.cameras = new Cameras({
      captures: this.captures,
      openReading,
      taker: () => this.#taken,
      ffmpeg: "ffmpeg",
      maxFrameBytes,
      interfaces: () => localAddresses().filter((address) => address.includes(".")),
      clock,
      logger,
    });
    bus.on("device.changed", "camera loops", ({ deviceId, state, changed }) =>
      this.cameras.deviceChanged(deviceId, state, changed),
    );
    // a device that is no camera any more, or is one again
    bus.on("device.edited", "cameras to look through", ({ deviceId }) => {
      const camera = this.#taken.settings.find(deviceId);
      const isWatched = this.cameras.states().has(deviceId);
      if (isWatched && camera === null) this.configure({ deviceId, enabled: false, source: { kind: "native" } });
      if (!isWatched && camera !== null) this.configure(camera);
    });
    this.services = [
      { service: this.captures, start: "load", stop: "drain" },
      { service: this.cameras, start: "load", stop: "drain" },
    ];
  }

  takenBy(taker: BurstTaker): void {
    this.#taker = taker;
  }

  /** Follows a camera as it is set now. */
  readonly configure = (camera: CameraSetup): void =>
    void this.cameras
      .configure(camera)
      .catch((error: unknown) =>
        this.#base.logger.error({ deviceId: camera.deviceId, err: error }, "the camera could not be set up"),
      );

  /** Reads a burst; `begun` if its frames were read as they came. */
  async recognise(burst: Burst, begun: Promise<BurstReading> | null): Promise<BurstReading> {
    const { recogniser } = this.#recognition;
    const reading = await (begun ?? recogniser.read(burst, this.#senderOf(burst.deviceId)));
    // What the stop cut short is not the camera's fault: native captures stay in the spool for the next start.
    if (recogniser.isStopped && reading.vehicles.length === 0)
      throw new Problem("unavailable", { code: "unavailable.stopping" });
    return reading;
  }

  /**
   * A frame of this device, or a part of it, as the picture that is kept, or that many pixels wide; null when it cannot
   * be decoded.
   */
  encodeImage(
    frame: Uint8Array,
    deviceId: string,
    part?: PicturePart | null,
    width?: number,
  ): Promise<Uint8Array | null> {
    return this.#recognition.recogniser.encodeImage(frame, this.#senderOf(deviceId), part ?? null, width ?? null);
  }

  /** What the pixels of a burst's listed plates say of how each comes to this camera. */
  lookAt(tasks: readonly PresentedTask[], deviceId: string): Promise<readonly PresentedAnswer[]> {
    return this.#recognition.recogniser.presented(tasks, this.#senderOf(deviceId));
  }

  get metrics() {
    const figures = () => this.captures.figures();
    return [
      { name: "captures_open", help: "Captures whose frames are still coming.", read: () => figures().open },
      { name: "captures_waiting", help: "Captures that wait to be read and stored.", read: () => figures().waiting },
      {
        name: "captures_refused_frames",
        help: "Frames refused since start.",
        kind: "counter" as const,
        read: () => figures().refusedFrames,
      },
    ];
  }

  #senderOf(deviceId: string): PictureSender {
    return {
      name: deviceId,
      opensGate: (this.#taken.settings.find(deviceId)?.gate ?? null) !== null,
      keepsPixels: this.#taken.settings.comparesFrames(deviceId),
    };
  }

  get #taken(): BurstTaker {
    if (this.#taker === null) throw new Error("nothing takes the bursts of cameras");
    return this.#taker;
  }
}
