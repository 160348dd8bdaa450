import { standsOf } from "../../../console/components/standing.ts";
import type { Device } from "../../../console/store.ts";

/** The way in which a gate moves just now, as far as it says so; null: it stands, or nobody knows. */
export function moveOf(gate: Device): "opening" | "closing" | null {
  const standing = standsOf(gate);
  return standing === "opening" || standing === "closing" ? standing : null;
}
