import { type Device, shownState } from "../../../console/store.ts";

/** The way in which a gate moves just now, as far as it says so; null: it stands, or nobody knows. */
export function moveOf(gate: Device): "opening" | "closing" | null {
  const { position, gate: word, state } = shownState(gate);
  const said = position ?? word ?? state;
  return said === "opening" || said === "closing" ? said : null;
}
