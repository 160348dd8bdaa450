import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { devices } from "../../../console/store.ts";

/** How often to ask whether the device was refused; not for a device that is connected. */
const LOOK_EVERY_MS = 3_000;
/** The hub's reasons for refusing a connection. */
const AT_THE_DOOR = ["wrong_password", "no_password", "foreign_client_id", "too_many_connections"] as const;
type Why = (typeof AT_THE_DOOR)[number];

/** Follows the set-up of a device: waits, reports why it was refused, and reports when it has connected. */
export function ConnectionWait({ deviceId }: { deviceId: string }) {
  const device = devices.value.get(deviceId);
  const isThere = device?.online === true;
  const [why, setWhy] = useState<Why | null>(null);
  useEffect(() => {
    if (isThere) return;
    // A refusal from before this page was opened may be outdated; for a device that never connected, all count.
    let before: number | null = device?.lastSeen === null ? 0 : null;
    const look = async (): Promise<void> => {
      const { refusals } = await get("/api/devices/{id}/refusals", { params: { id: deviceId } });
      const atDoor = refusals.flatMap(({ reason, count }) =>
        AT_THE_DOOR.filter((known) => known === reason).map((known) => ({ reason: known, count })),
      );
      const count = atDoor.reduce((sum, refusal) => sum + refusal.count, 0);
      if (before !== null && count > before) setWhy(atDoor[0]?.reason ?? null);
      before ??= count;
    };
    const again = (): void => void look().catch(() => {}); // asked again soon
    again();
    const timer = setInterval(again, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [deviceId, isThere]);
  if (isThere) return <Notice tone="good">{t("connect.there", { name: device.name })}</Notice>;
  return (
    <div class="waiting" role="status">
      <span class="spinner" aria-hidden="true" />
      <div class="grow">
        <p>{t("connect.waiting")}</p>
        {why !== null && <p class="error-text small">{t(`connect.${why}`)}</p>}
      </div>
    </div>
  );
}
