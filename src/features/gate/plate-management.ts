import { detailEnglish } from "../../core/text/english.ts";
import type { CamerasFeature } from "../cameras/feature.ts";
import { CAMERA_PRESETS } from "../cameras/presets.ts";
import { parsePushBody } from "../cameras/push-body.ts";
import { shownSource } from "../cameras/source-secrets.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { Recogniser } from "../recognition/recogniser.ts";
import type { CameraSettings } from "./camera-settings.ts";
import type { Gate } from "./gate.ts";
import type { PlateReads } from "./plate-reads.ts";
import type { PlateRules } from "./plate-rules.ts";
import type { PresentedPlates } from "./presented-plates.ts";
import type { PlateManagement } from "./routes/console-plates.ts";
import type { KeepsGate } from "./routes/plate-rules.ts";
import type { Vehicles } from "./vehicles.ts";

/** What the pages of plates and cameras work with. */
export interface PlatePages {
  readonly gate: {
    readonly cameras: CameraSettings;
    readonly gate: Gate;
    readonly reads: PlateReads;
    readonly vehicles: Vehicles;
    readonly rules: PlateRules;
    readonly presented: PresentedPlates;
  };
  readonly cameras: CamerasFeature;
  readonly devices: DevicesFeature;
  readonly recogniser: Recogniser;
}

/** Connects gate and cameras to the console's routes. */
export function plateManagement({
  gate: plates,
  cameras: { cameras },
  devices,
  recogniser,
  keepsGate,
}: PlatePages & { readonly keepsGate: KeepsGate }): PlateManagement {
  const cameraIds = (siteId: number): string[] => {
    // one query: one per device would, with thousands of them, hold up everybody
    const hasSettings = plates.cameras.withSettings();
    return devices.registry
      .list(siteId)
      .filter(({ id, type }) => type === "camera" || hasSettings.has(id))
      .map(({ id }) => id);
  };
  return {
    keepsGate,
    cameras: plates.cameras,
    cameraIds,
    shownSource,
    sourceState: (deviceId) => cameras.states().get(deviceId) ?? null,
    recogniserState: () => {
      const { waitingBursts, waitingFrames, framesDropped, timeouts, frameMs } = recogniser.figures();
      const { ready, words } = recogniser.state();
      return {
        ready,
        text: detailEnglish(words),
        words,
        waitingBursts,
        waitingFrames,
        framesDropped,
        timeouts,
        frameMs,
        lastDecisionMs: plates.gate.figures.lastDecisionMs,
      };
    },
    learned: (deviceId) => plates.presented.learned(deviceId),
    presets: CAMERA_PRESETS.map((preset) => ({ ...preset, addresses: [...preset.addresses] })),
    discover: async (siteId) => {
      const hosts = new Map(cameraIds(siteId).map((id) => [id, hostOf(plates.cameras.get(siteId, id).source)]));
      const found = await cameras.discover();
      return found.map((camera) => ({
        ...camera,
        deviceIds: [...hosts].flatMap(([id, host]) => (host === camera.host ? [id] : [])),
      }));
    },
    inspect: async (access) => {
      const description = await cameras.inspect(access);
      return { ...description, profiles: [...description.profiles] };
    },
    capture: (deviceId) => cameras.capture(deviceId),
    checkRoom: (deviceId) => cameras.checkRoom(deviceId),
    push: (deviceId, contentType, body, about) => cameras.push(deviceId, parsePushBody(contentType, body), about),
    reads: plates.reads,
    vehicles: plates.vehicles,
    rules: plates.rules,
  };
}

/** Host of a pulled source; null for a camera that sends by itself. */
function hostOf(source: object): string | null {
  return "url" in source && typeof source.url === "string" && URL.canParse(source.url)
    ? new URL(source.url).hostname
    : null;
}
