/**
 * Models of the first generation: their names, their purpose and their parts. Source:
 * https://shelly-api-docs.shelly.cloud/gen1/.
 */

/** A part of a device that its topics name with an index. */
export type PartKind = "relay" | "roller" | "light" | "color" | "white" | "emeter" | "input" | "thermostat";

/** How many of each part. */
export type Parts = Partial<Record<PartKind, number>>;

/** One model. */
export interface Model {
  readonly label: string;
  /** Product type of the hub. */
  readonly type: string;
  readonly parts: Parts;
  /** Parts in a mode of the announcement, if they differ. */
  readonly modes?: Readonly<Record<string, { readonly type: string; readonly parts: Parts }>>;
  /** It has a colour temperature (kelvin). */
  readonly kelvin?: readonly [least: number, most: number];
  /** It sleeps and reports at least this often, seconds. */
  readonly reportSeconds?: number;
}

const ROLLER = { roller: { type: "cover", parts: { roller: 1, input: 2 } } };
const RGBW = {
  white: { type: "light", parts: { white: 4, input: 1 } },
  color: { type: "light", parts: { color: 1, input: 1 } },
};
const TWELVE_HOURS = 43_200;

const MODELS: Readonly<Record<string, Model>> = {
  "SHSW-1": { label: "Shelly 1", type: "switch", parts: { relay: 1, input: 1 } },
  "SHSW-L": { label: "Shelly 1L", type: "switch", parts: { relay: 1, input: 2 } },
  "SHSW-PM": { label: "Shelly 1PM", type: "switch", parts: { relay: 1, input: 1 } },
  "SHSW-21": { label: "Shelly 2", type: "home-hub", parts: { relay: 2, input: 2 }, modes: ROLLER },
  "SHSW-25": { label: "Shelly 2.5", type: "home-hub", parts: { relay: 2, input: 2 }, modes: ROLLER },
  "SHSW-44": { label: "Shelly 4Pro", type: "home-hub", parts: { relay: 4, input: 4 } },
  "SHAIR-1": { label: "Shelly Air", type: "switch", parts: { relay: 1, input: 1 } },
  "SHUNI-1": { label: "Shelly Uni", type: "home-hub", parts: { relay: 2, input: 2 } },
  "SHPLG-1": { label: "Shelly Plug", type: "smart-plug", parts: { relay: 1 } },
  "SHPLG2-1": { label: "Shelly Plug E", type: "smart-plug", parts: { relay: 1 } },
  "SHPLG-S": { label: "Shelly Plug S", type: "smart-plug", parts: { relay: 1 } },
  "SHPLG-U1": { label: "Shelly Plug US", type: "smart-plug", parts: { relay: 1 } },
  SHEM: { label: "Shelly EM", type: "energy-meter", parts: { emeter: 2, relay: 1 } },
  "SHEM-3": { label: "Shelly 3EM", type: "energy-meter", parts: { emeter: 3, relay: 1 } },
  "SHDM-1": { label: "Shelly Dimmer", type: "dimmer", parts: { light: 1, input: 2 } },
  "SHDM-2": { label: "Shelly Dimmer 2", type: "dimmer", parts: { light: 1, input: 2 } },
  "SHVIN-1": { label: "Shelly Vintage", type: "dimmer", parts: { light: 1 } },
  "SHBDUO-1": { label: "Shelly Duo", type: "light", parts: { light: 1 }, kelvin: [2700, 6500] },
  "SHBLB-1": { label: "Shelly Bulb", type: "light", parts: { color: 1 }, kelvin: [3000, 6500] },
  "SHCB-1": { label: "Shelly Duo RGBW", type: "light", parts: { color: 1 }, kelvin: [3000, 6500] },
  "SHRGBWW-01": { label: "Shelly RGBWW", type: "light", parts: { color: 1 }, kelvin: [3000, 6500] },
  SHRGBW2: { label: "Shelly RGBW2", type: "light", parts: { color: 1, input: 1 }, modes: RGBW },
  "SHIX3-1": { label: "Shelly i3", type: "sensor", parts: { input: 3 } },
  "SHBTN-1": { label: "Shelly Button1", type: "sensor", parts: { input: 1 }, reportSeconds: TWELVE_HOURS },
  "SHBTN-2": { label: "Shelly Button1 2", type: "sensor", parts: { input: 1 }, reportSeconds: TWELVE_HOURS },
  "SHHT-1": { label: "Shelly H&T", type: "sensor", parts: {}, reportSeconds: TWELVE_HOURS },
  "SHWT-1": { label: "Shelly Flood", type: "sensor", parts: {}, reportSeconds: 86_400 },
  "SHDW-1": { label: "Shelly Door/Window", type: "sensor", parts: {}, reportSeconds: TWELVE_HOURS },
  "SHDW-2": { label: "Shelly Door/Window 2", type: "sensor", parts: {}, reportSeconds: TWELVE_HOURS },
  "SHSM-01": { label: "Shelly Smoke", type: "sensor", parts: {}, reportSeconds: 86_400 },
  "SHSM-02": { label: "Shelly Smoke 2", type: "sensor", parts: {}, reportSeconds: 86_400 },
  "SHGS-1": { label: "Shelly Gas", type: "sensor", parts: {} },
  "SHSEN-1": { label: "Shelly Sense", type: "sensor", parts: {} },
  "SHMOS-01": { label: "Shelly Motion", type: "sensor", parts: {}, reportSeconds: 21_600 },
  "SHMOS-02": { label: "Shelly Motion 2", type: "sensor", parts: {}, reportSeconds: 21_600 },
  "SHTRV-01": { label: "Shelly TRV", type: "thermostat", parts: { thermostat: 1 }, reportSeconds: 3_600 },
};

const UNKNOWN: Model = { label: "Shelly", type: "switch", parts: {} };

/** The row of a model code; an empty one for codes that are not in the table. */
export function modelOf(code: string | null): Model {
  return code !== null && Object.hasOwn(MODELS, code) ? (MODELS[code] ?? UNKNOWN) : UNKNOWN;
}

/** Type and parts of a model in a mode ("relay", "roller", "color", "white"). */
export function modelInMode(
  code: string | null,
  mode: string | null,
): { readonly type: string; readonly parts: Parts } {
  const model = modelOf(code);
  const modes = model.modes ?? {};
  return mode !== null && Object.hasOwn(modes, mode) ? (modes[mode] ?? model) : model;
}
