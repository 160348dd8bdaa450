import { parsePushBody } from "../cameras/push-body.js";
import type { PlateManagement } from "../http/routes/console-plates.js";
import type { HubParts } from "./parts.js";

/** Joins gate and cameras to what the console's routes ask for. */
export function plateManagement(hub: HubParts): PlateManagement {
  const { plates, recognition, devices } = hub;
  return {
    cameras: plates.cameras,
    cameraIds: (siteId) =>
      devices.registry
        .list(siteId)
        .filter((device) => plates.cameras.isCamera(siteId, device.id))
        .map((device) => device.id),
    sourceState: (deviceId) => recognition.cameras.states().get(deviceId) ?? null,
    capture: (deviceId) => recognition.cameras.capture(deviceId),
    push: (deviceId, contentType, body, about) => recognition.cameras.push(deviceId, parsePushBody(contentType, body), about),
    reads: plates.reads,
    vehicles: plates.vehicles,
    rules: plates.rules,
  };
}
