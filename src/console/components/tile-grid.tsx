import { useEffect, useRef, useState } from "preact/hooks";
import { dangers } from "../../features/devices/console/house-dangers.ts";
import { t } from "../i18n/translate.ts";
import type { Device } from "../store.ts";
import { DeviceTile } from "./device-tile.tsx";

/** Tiles drawn before anybody scrolls. */
const FIRST = 48;

/**
 * Devices as tiles, drawn only as far as somebody has scrolled. `first`: how many are drawn before that,
 * and with each step while the end is in sight, so that a key waits for no more; `room`: they stand under this room's
 * name; without it each says its own.
 */
export function TileGrid({
  devices,
  room,
  first = FIRST,
}: {
  devices: readonly Device[];
  room?: string | undefined;
  first?: number;
}) {
  const [drawn, setDrawn] = useState(first);
  const end = useRef<HTMLButtonElement>(null);
  const left = devices.length - drawn;
  useEffect(() => {
    if (left <= 0 || end.current === null) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) setDrawn((now) => now + first);
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [drawn, left > 0]);
  return (
    <>
      <ul class="tiles">
        {devices.slice(0, drawn).map((device) => (
          <DeviceTile
            key={device.id}
            device={device}
            room={room}
            isInDanger={dangers.value.some(({ deviceId }) => deviceId === device.id)}
          />
        ))}
      </ul>
      {left > 0 && (
        <button type="button" class="button" ref={end} onClick={() => setDrawn((now) => now + first)}>
          {t("home.more", { n: left })}
        </button>
      )}
    </>
  );
}
