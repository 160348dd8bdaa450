import { existsSync } from "node:fs";
import type { BundleManifest } from "./bundle.ts";

/** Where root's part keeps its state on a box that install.sh or an image made. */
export const STATE_FOLDER = "/var/lib/gatehouse-update";
/** The tool of card images that writes the idle slot. */
export const SLOT_TOOL = "/usr/lib/gatehouse/slots";

/** What kind of update this box accepts. */
export function updateKind(): BundleManifest["kind"] {
  return existsSync(SLOT_TOOL) ? "slot" : "versions";
}
