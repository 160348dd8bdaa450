/**
 * Vendor ids of the homes that people join with, by the Connectivity Standards Alliance's Distributed Compliance
 * Ledger (https://webui.dcl.csa-iot.org/vendors).
 */
const VENDORS: ReadonlyMap<number, string> = new Map([
  [0x1349, "Apple Home"],
  [0x1384, "Apple Keychain"],
  [0x6006, "Google Home"],
  [0x1217, "Amazon Alexa"],
  [0x110a, "SmartThings"],
  [0x134b, "Home Assistant"],
  [0x115f, "Aqara"],
  [0x102e, "LG ThinQ"],
]);

/** The name of a joined home: its own label, else its maker's app, else its vendor's number. */
export function fabricName(vendorId: number, label: string): string {
  const own = label
    .replaceAll(/[^\P{C}]/gu, "")
    .trim()
    .slice(0, 60);
  const known = VENDORS.get(vendorId);
  if (own !== "")
    return known === undefined || own.toLowerCase().includes(known.toLowerCase()) ? own : `${known} (${own})`;
  return known ?? `Matter 0x${vendorId.toString(16).padStart(4, "0")}`;
}
