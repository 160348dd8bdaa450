import { Card } from "../../../console/components/basics.tsx";
import { DeviceControls } from "../../../console/components/device-controls.tsx";
import { stateLine } from "../../../console/components/device-tile.tsx";
import { ago, t } from "../../../console/i18n/translate.ts";
import { type Device, isPending } from "../../../console/store.ts";
import { type Opening, OpeningLine } from "./outcome.tsx";

/**
 * A gate's current state, with its controls and who opened it last. Shows when an order is under way, and when it was
 * not answered.
 */
export function GateCard({ gate, opening }: { gate: Device; opening?: Opening | undefined }) {
  const said = gate.stateAt ?? gate.lastSeen;
  return (
    <Card title={gate.name} action={<a href={`/devices/${encodeURIComponent(gate.id)}`}>{t("gate.details")}</a>}>
      <div role="status">
        <p class="big-number">{isPending(gate.id) ? t("gate.waiting") : stateLine(gate)}</p>
        {said !== null && said !== undefined && <p class="soft small">{t("gate.stateSince", { ago: ago(said) })}</p>}
      </div>
      {opening !== undefined && <OpeningLine opening={opening} />}
      <DeviceControls device={gate} />
    </Card>
  );
}
