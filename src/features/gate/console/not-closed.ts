/** That a gate was told to close and did not, for as long as it stands open. */
import { isOpen } from "../../../console/components/device-tile.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { type Device, feed, isPending } from "../../../console/store.ts";
import { moveOf } from "./gate-move.ts";

/** So long it is said where nobody knows since when the gate is open. */
const RECENT_MS = 600_000;

/** `Gate did not close. It took the command and did not move. Asked by Ravi.`; null where it does not apply. */
export function notClosedLine(gate: Device | undefined, openSince: number | null): string | null {
  if (gate === undefined || !isOpen(gate) || isPending(gate.id)) return null;
  if (moveOf(gate) === "closing") return null;
  const item = feed.value.find(({ kind, deviceId }) => kind === "gate.not_closed" && deviceId === gate.id);
  if (item === undefined || Date.parse(item.at) < (openSince ?? Date.now() - RECENT_MS)) return null;
  const title = recordedText("feed.title", item.words, item.title);
  return `${title}${t("story.end")} ${recordedText("feed.body", item.words, item.body)}`;
}
