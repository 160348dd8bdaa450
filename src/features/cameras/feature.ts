import { isAbsolute, join } from "node:path";
import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import { COUNTRIES } from "../../core/plates/countries.ts";
import type { Burst, BurstReading } from "../../core/plates/reading.ts";
import { diskSpace } from "../../core/platform/disk.ts";
import { localAddresses } from "../../core/platform/network.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { Camera, CameraSettings } from "../gate/camera-settings.ts";
import type { Gate } from "../gate/gate.ts";
import type { Arrival } from "../gate/read-rows.ts";
import type { ShownFrames } from "../gate/shown-frames.ts";
import type { CaptureIntake } from "../mqtt/native-handlers.ts";
import { Recogniser, type RecogniserFigures } from "../recognition/recogniser.ts";
import type { PictureSender } from "../recognition/turns.ts";
import { parseCameraSource } from "./camera-source.ts";
import { Cameras } from "./cameras.ts";
import { Captures } from "./captures.ts";
import type { FrameReading } from "./frame-reading.ts";
import { Spool } from "./spool.ts";

/** Reading plates, and the cameras that feed it. */
export interface RecognitionParts {
  readonly services: readonly Service[];
  readonly captures: CaptureIntake;
  readonly cameras: Cameras;
  /** Reads a burst; `begun` if its frames were read as they came. */
  recognise(burst: Burst, begun: Promise<BurstReading> | null): Promise<BurstReading>;
  /** Loads the models, so that the first car does not wait for them; never rejects. */
  prepare(): Promise<void>;
  /** Reads one picture for a person who tries: nothing is decided or stored. */
  read(jpeg: Uint8Array): Promise<BurstReading>;
  /** A frame of this device as the picture that is kept; null when it cannot be decoded. */
  encodeImage(frame: Uint8Array, deviceId: string): Promise<Uint8Array | null>;
  /** @throws Problem invalid_body if it is not a source */
  checkSource(source: object): void;
  cameraChanged(camera: Camera): void;
  state(): { readonly ready: boolean; readonly words: Detail };
  figures(): RecogniserFigures;
  captureFigures(): ReturnType<Captures["figures"]>;
}

/** What cameras use beyond themselves; called once the hub runs. */
export interface RecognitionPorts {
  readonly take: (arrival: Arrival) => Promise<readonly number[]>;
  readonly gate: () => Gate;
  readonly shownFrames: () => ShownFrames;
  readonly cameras: () => CameraSettings;
}

/** A capture with a name that was stored within this time is the same one, sent again. */
const REPEAT_MS = 24 * 3_600_000;
/** Bytes of a nearly full disk that waiting frames may not take: they are the database's. */
const PICTURES_LEAVE = 32 * 1_048_576;

/** Builds the recogniser and the camera sources. */
export function buildRecognition(base: Base, ports: RecognitionPorts): RecognitionParts {
  const { clock, bus, dataFolder, projectFolder } = base;
  const { recognition: settings, mqtt } = base.settings();
  const { modelsFolder, ...rest } = settings;
  const folder = isAbsolute(modelsFolder) ? modelsFolder : join(projectFolder, modelsFolder);
  const logger = base.logger.child({ part: "cameras" });
  const unknown = settings.countries.filter((code) => !(code in COUNTRIES));
  if (unknown.length > 0)
    logger.warn(
      { unknown, known: Object.keys(COUNTRIES) },
      "recognition.countries names countries whose plates are not known",
    );
  const recogniser = new Recogniser({
    ...rest,
    modelsFolder: folder,
    clock,
    logger: base.logger.child({ part: "recogniser" }),
  });
  const maxFrameBytes = mqtt.maxFrameBytes;
  const senderOf = (deviceId: string): PictureSender => ({
    name: deviceId,
    opensGate: (ports.cameras().find(deviceId)?.gate ?? null) !== null,
  });
  const openReading = (deviceId: string): FrameReading | null =>
    ports.gate().takes(deviceId) ? recogniser.open(senderOf(deviceId)) : null;
  const captures = new Captures({
    spool: new Spool(join(dataFolder, "spool"), () => diskSpace(dataFolder).freeBytes >= PICTURES_LEAVE),
    openReading,
    deliver: ports.take,
    isKnown: (deviceId, captureKey) => ports.gate().knows(deviceId, captureKey, REPEAT_MS),
    claimFrames: (deviceId, frames) => ports.shownFrames().claim(deviceId, frames),
    nextCaptureId: () => ports.gate().nextCaptureId(),
    maxFrameBytes,
    clock,
    logger,
  });
  const interfaces = (): string[] => localAddresses().filter((address) => address.includes("."));
  const cameras = new Cameras({
    captures,
    openReading,
    cameras: () => ports.cameras().all(),
    ffmpeg: "ffmpeg",
    maxFrameBytes,
    interfaces,
    clock,
    logger,
  });
  bus.on("device.changed", "camera loops", ({ deviceId, state, changed }) =>
    cameras.deviceChanged(deviceId, state, changed),
  );
  const configure = (camera: Pick<Camera, "deviceId" | "enabled" | "source">): void =>
    void cameras
      .configure(camera)
      .catch((error: unknown) =>
        logger.error({ deviceId: camera.deviceId, err: error }, "the camera could not be set up"),
      );
  // a device that is no camera any more, or is one again
  bus.on("device.edited", "cameras to look through", ({ deviceId }) => {
    const camera = ports.cameras().find(deviceId);
    const isWatched = cameras.states().has(deviceId);
    if (isWatched && camera === null) configure({ deviceId, enabled: false, source: { kind: "native" } });
    if (!isWatched && camera !== null) configure(camera);
  });
  return {
    services: [recogniser, captures, cameras],
    captures: {
      frame: (deviceId, captureKey, n, jpeg) => captures.frame(deviceId, captureKey, n, jpeg),
      done: (deviceId, captureKey, done) => captures.captureDone(deviceId, captureKey, done),
    },
    cameras,
    recognise: async (burst, begun) => {
      const reading = await (begun ?? recogniser.read(burst, senderOf(burst.deviceId)));
      // What the stop cut short is not the camera's fault: native captures stay in the spool for the next start.
      if (recogniser.isStopped && reading.vehicles.length === 0)
        throw new Problem("unavailable", { code: "unavailable.stopping" });
      return reading;
    },
    prepare: () => recogniser.prepare(),
    read: (jpeg) => recogniser.read({ frames: [jpeg] }),
    encodeImage: (frame, deviceId) => recogniser.encodeImage(frame, senderOf(deviceId)),
    checkSource: (source) => void parseCameraSource(source),
    cameraChanged: configure,
    state: () => recogniser.state(),
    figures: () => recogniser.figures(),
    captureFigures: () => captures.figures(),
  };
}
