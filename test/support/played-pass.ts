import { analyse } from "../../src/core/plates/analyse.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import type { Direction, VehicleReading } from "../../src/core/plates/reading.ts";
import type { Hub } from "../../src/hub.ts";

/**
 * A car passes a camera: everything of the gate is real, only the recogniser is simulated. Returns the id of the read.
 */
export async function passOf(
  hub: Hub,
  deviceId: string,
  plate: string,
  direction: Direction,
  at = hub.base.clock.now(),
  captureKey: string | null = null,
): Promise<number> {
  const [id = 0] = await passesOf(hub, deviceId, [plate], { direction, at, captureKey });
  return id;
}

/** Several cars stand in the pictures of one burst. Returns the ids of their reads. */
export function passesOf(
  hub: Hub,
  deviceId: string,
  plates: readonly string[],
  {
    direction,
    at = hub.base.clock.now(),
    captureKey = null,
  }: { readonly direction: Direction; readonly at?: number; readonly captureKey?: string | null },
): Promise<number[]> {
  const burst = {
    deviceId,
    captureId: hub.gate.gate.nextCaptureId(),
    trigger: "motion",
    at,
    direction,
    frames: [Buffer.from("jpeg")],
    completeMono: hub.base.clock.mono(),
  } as const;
  return hub.gate.gate.take({
    burst,
    captureKey,
    opensUntilMono: Number.POSITIVE_INFINITY,
    reading: { samples: 1, vehicles: plates.map(vehicleOf), reason: null, unread: [], tookMs: 1 },
  });
}

function vehicleOf(plate: string): VehicleReading {
  const analysis = { ...analyse(plate, Countries.all), confidence: 95 };
  const corners = [
    [10, 10],
    [90, 10],
    [90, 30],
    [10, 30],
  ] as const;
  const sighting = {
    frame: 0,
    score: 0.9,
    corners,
    box: [10, 10, 90, 30],
    frameSize: [640, 480],
    twoLine: false,
    views: [],
    second: null,
    analysis,
  } as const;
  return { analysis, votes: 1, sightings: [sighting], best: sighting };
}
