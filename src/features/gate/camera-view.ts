import { Problem } from "../../core/kernel/problem.ts";
import { kept } from "../../core/plates/kept.ts";
import type { VehicleReading } from "../../core/plates/reading.ts";
import { reasonOf } from "../../core/text/described-error.ts";
import { CameraTrouble } from "../cameras/snapshot.ts";
import type { SeenPlate } from "./api/console-camera-view.ts";
import type { PlatePages } from "./plate-management.ts";
import type { CameraView } from "./routes/console-camera-view.ts";

/** Connects cameras and recogniser to the pages on which a person looks through a camera. */
export function cameraView({ gate: plates, cameras: { cameras }, devices, recogniser }: PlatePages): CameraView {
  return {
    check: (siteId, deviceId) => void plates.cameras.get(siteId, deviceId),
    frame: async ({ siteId, deviceId, fresh, actor }) => {
      const latest = await cameras.frame(deviceId, {
        fresh,
        // A camera that is away would take the picture when it is back.
        ask: async () => {
          if (devices.registry.find(deviceId)?.online !== true) return false;
          const order = { siteId, deviceId, command: '{"capture":true}', actor, source: "console" } as const;
          return devices.commands.send(order).then(
            () => true,
            (error: unknown) => {
              if (error instanceof Problem && error.code === "forbidden") return false; // the last picture is theirs to see
              throw error;
            },
          );
        },
      });
      return latest ?? (fresh ? null : plates.reads.newestImage(siteId, deviceId));
    },
    testSource: async (source) => {
      try {
        return { picture: await cameras.testSource(source) };
      } catch (error) {
        if (error instanceof CameraTrouble) return { trouble: reasonOf(error) };
        throw error;
      }
    },
    read: async (jpeg) => {
      const reading = await recogniser.read({ frames: [jpeg] });
      return { plates: kept(reading).map(seenPlate), reason: reading.reason, tookMs: reading.tookMs };
    },
  };
}

function seenPlate({ analysis, best }: VehicleReading): SeenPlate {
  const [width, height] = best.frameSize;
  const corners = best.corners.map(([x, y]) => [share(x / width), share(y / height)] as const);
  return {
    plate: analysis.plate,
    formatted: analysis.formatted,
    text: analysis.text,
    status: analysis.status,
    confidence: Math.round(analysis.confidence),
    corners,
  };
}

function share(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000;
}
