import { isAbsolute, join } from "node:path";
import type { Burst, BurstReading } from "../domain/plates/reading.js";
import type { Camera, CameraSettings } from "../gate/camera-settings.js";
import type { Arrival, Gate } from "../gate/gate.js";
import type { Service } from "../kernel/service.js";
import { Recogniser, type RecogniserFigures } from "../recognition/recogniser.js";
import type { Base } from "./base.js";
import type { CaptureIntake } from "./native-handlers.js";

/** Reading plates, and the cameras that feed it. */
export interface RecognitionParts {
  readonly services: readonly Service[];
  readonly captures: CaptureIntake;
  recognise(burst: Burst): Promise<BurstReading>;
  encodeImage(frame: Uint8Array): Promise<Uint8Array | null>;
  checkSource(source: object): void;
  cameraChanged(camera: Camera): void;
  state(): { readonly ready: boolean; readonly text: string };
  figures(): RecogniserFigures;
}

/** What cameras reach beyond themselves. */
export interface RecognitionPorts {
  readonly take: (arrival: Arrival) => Promise<unknown>;
  readonly gate: () => Gate;
  readonly cameras: () => CameraSettings;
}

/** Builds the recogniser and the camera sources. */
export function buildRecognition(base: Base, ports: RecognitionPorts): RecognitionParts {
  const { clock, logger, projectFolder } = base;
  const { recognition: settings } = base.settings();
  const { modelsFolder, ...rest } = settings;
  const folder = isAbsolute(modelsFolder) ? modelsFolder : join(projectFolder, modelsFolder);
  const recogniser = new Recogniser({ ...rest, modelsFolder: folder, clock, logger: logger.child({ part: "recogniser" }) });
  void ports;
  return {
    services: [recogniser],
    captures: { frame: async () => {}, done: async () => {} },
    recognise: (burst) => recogniser.read(burst),
    encodeImage: (frame) => recogniser.encodeImage(frame),
    checkSource: () => {},
    cameraChanged: () => {},
    state: () => recogniser.state(),
    figures: () => recogniser.figures(),
  };
}
