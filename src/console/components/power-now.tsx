import { powerNow } from "../../features/energy/rules/house-energy.ts";
import { number, t } from "../i18n/translate.ts";
import { deviceList, energyRoles } from "../store.ts";
import { Card } from "./basics.tsx";

/**
 * The house's current power: its main meter's reading, without counting devices behind it twice. Nothing without a
 * meter.
 */
export function PowerNow() {
  const devices = new Map(deviceList.value.map((device) => [device.id, device]));
  const wattsOf = (id: string): number | null => {
    const device = devices.get(id);
    return device?.online && typeof device.state.watts === "number" ? device.state.watts : null;
  };
  const watts = powerNow(
    energyRoles.value.map(({ deviceId, ...place }) => ({ ...place, id: deviceId, watts: wattsOf(deviceId) })),
  );
  if (watts === null) return null;
  return (
    <Card title={t("home.energyNow")} action={<a href="/energy">{t("energy.title")}</a>}>
      <p class="big-number">{number(watts, 0)} W</p>
    </Card>
  );
}
