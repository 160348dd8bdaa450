/**
 * The models' names, by the part of their id before the MAC. Source: https://shelly-api-docs.shelly.cloud/gen2/, device
 * pages of Gen2, Gen3 and Gen4.
 */
const LABELS: Readonly<Record<string, string>> = {
  shellyplus1: "Shelly Plus 1",
  shellyplus1pm: "Shelly Plus 1PM",
  shellyplus2pm: "Shelly Plus 2PM",
  shellyplusi4: "Shelly Plus i4",
  shellyplusht: "Shelly Plus H&T",
  shellyplusplugs: "Shelly Plus Plug S",
  shellyplugus: "Shelly Plus Plug US",
  shellyplusplugit: "Shelly Plus Plug IT",
  shellyplusplugui: "Shelly Plus Plug UK",
  shellyplussmoke: "Shelly Plus Smoke",
  shellypluswdus: "Shelly Plus Wall Dimmer",
  shellyplus10v: "Shelly Plus 0-10 V Dimmer",
  shellyplusrgbwpm: "Shelly Plus RGBW PM",
  shellyplusuni: "Shelly Plus Uni",
  shelly1mini: "Shelly Plus 1 Mini",
  shelly1pmmini: "Shelly Plus 1PM Mini",
  shellypmmini: "Shelly Plus PM Mini",
  shellypro1: "Shelly Pro 1",
  shellypro1pm: "Shelly Pro 1PM",
  shellypro2: "Shelly Pro 2",
  shellypro2pm: "Shelly Pro 2PM",
  shellypro3: "Shelly Pro 3",
  shellypro4pm: "Shelly Pro 4PM",
  shellyproem50: "Shelly Pro EM",
  shellypro3em: "Shelly Pro 3EM",
  shellypro2cover: "Shelly Pro Dual Cover",
  shellyprodm1pm: "Shelly Pro Dimmer 1PM",
  shellyprodm2pm: "Shelly Pro Dimmer 2PM",
  shellyblugw: "Shelly BLU Gateway",
  shellyblugwg3: "Shelly BLU Gateway Gen3",
  shellyhtg3: "Shelly H&T Gen3",
  shellyfloodg4: "Shelly Flood Gen4",
  shelly1g3: "Shelly 1 Gen3",
  shelly1pmg3: "Shelly 1PM Gen3",
  shelly2pmg3: "Shelly 2PM Gen3",
  shellyi4g3: "Shelly i4 Gen3",
  shelly1minig3: "Shelly 1 Mini Gen3",
  shelly1pmminig3: "Shelly 1PM Mini Gen3",
  shellypmminig3: "Shelly PM Mini Gen3",
  shellyemg3: "Shelly EM Gen3",
  shelly3em63g3: "Shelly 3EM-63 Gen3",
  shellyplugsg3: "Shelly Plug S Gen3",
  shellydimmerg3: "Shelly Dimmer Gen3",
  shelly1g4: "Shelly 1 Gen4",
  shelly1pmg4: "Shelly 1PM Gen4",
  shelly2pmg4: "Shelly 2PM Gen4",
  shelly1minigen4: "Shelly 1 Mini Gen4",
  shelly1pmminigen4: "Shelly 1PM Mini Gen4",
};

/** The name of a model. `app`: the firmware's own name, for models that are not in the table. */
export function labelOf(deviceId: string, app: string | null): string {
  const [family = ""] = deviceId.split("-");
  const label = Object.hasOwn(LABELS, family) ? LABELS[family] : undefined;
  return label ?? (app === null ? "Shelly" : `Shelly ${app}`);
}
