/** A warning that a gate was told to close and did not, for as long as it is open. */
import { isOpen } from "../../../console/components/device-tile.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import {
  type Device,
  deviceList,
  type FeedItem,
  feed,
  type GateRead,
  isPending,
  reads,
} from "../../../console/store.ts";
import { moveOf } from "./gate-move.ts";

/** What came last of closing and opening a gate counts. */
const TURNS: readonly string[] = ["gate.not_closed", "gate.opened"];

/** The item that says that a gate did not close; null where it has closed, moves, or was opened again since. */
function notClosed(gate: Device): FeedItem | null {
  if (!isOpen(gate) || isPending(gate.id) || moveOf(gate) === "closing") return null;
  const last = feed.value.find(({ kind, deviceId }) => deviceId === gate.id && TURNS.includes(kind));
  if (last?.kind !== "gate.not_closed") return null;
  return reads.value.some((read) => hasOpened(read, gate.id) && read.at > last.at) ? null : last;
}

/** A vehicle opens a closed gate: that is in its read, and no item of its own. */
function hasOpened({ opens, gate, gateWasOpen }: GateRead, gateId: string): boolean {
  return opens === gateId && !gateWasOpen && (gate?.result === "opened" || gate?.result === "taken");
}

/** `Gate did not close. It took the command and did not move. Asked by Ravi.`; null where it does not apply. */
export function notClosedLine(gate: Device): string | null {
  const item = notClosed(gate);
  if (item === null) return null;
  const title = recordedText("feed.title", item.words, item.title);
  return `${title}${t("story.end")} ${recordedText("feed.body", item.words, item.body)}`;
}

/** The gates and locks that did not close. */
export function allNotClosed(): ReadonlySet<string> {
  return new Set(deviceList.value.filter((device) => notClosed(device) !== null).map(({ id }) => id));
}
