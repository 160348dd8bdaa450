import { ColorControlServer } from "@matter/main/behaviors/color-control";
import { LevelControlServer } from "@matter/main/behaviors/level-control";
import { OnOffServer } from "@matter/main/behaviors/on-off";
import type { LevelControl } from "@matter/main/clusters/level-control";
import type { EndpointAction } from "../../bridge/calls.ts";
import { HubOrders } from "./orders.ts";

/** Switches of apps: the hub is asked, and the attribute follows when the device reports. */
export class OrderedOnOff extends OnOffServer {
  static override readonly lockOnInvoke = false;

  override on(): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { on: true });
  }

  override off(): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { on: false });
  }
}

/** Like {@link OrderedOnOff}, for lamps. */
export class OrderedLampOnOff extends OnOffServer.with("Lighting") {
  static override readonly lockOnInvoke = false;

  override on(): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { on: true });
  }

  override off(): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { on: false });
  }
}

/** Levels of Matter: 1 to 254. */
export const MOST_LEVEL = 254;

/** Brightness of lamps. The device makes its own transitions; moving and stepping jump to their end. */
export class OrderedLevel extends LevelControlServer.with("OnOff", "Lighting") {
  static override readonly lockOnInvoke = false;

  override moveToLevelLogic(level: number, _transitionTime: number | null, withOnOff: boolean): Promise<void> {
    return this.#order(level, withOnOff);
  }

  override moveLogic(moveMode: LevelControl.MoveMode, _rate: number | null, withOnOff: boolean): Promise<void> {
    return this.#order(moveMode === 0 ? MOST_LEVEL : 1, withOnOff);
  }

  override stepLogic(
    stepMode: LevelControl.StepMode,
    stepSize: number,
    _transitionTime: number | null,
    withOnOff: boolean,
  ): Promise<void> {
    return this.#order((this.state.currentLevel ?? 0) + (stepMode === 0 ? stepSize : -stepSize), withOnOff);
  }

  override stopLogic(): void {}

  /** On and off imply nothing about the level: the device reports both. */
  override handleOnOffChange(): void {}

  #order(level: number, withOnOff: boolean): Promise<void> {
    const brightness = (Math.min(MOST_LEVEL, Math.max(1, level)) / MOST_LEVEL) * 100;
    const action: EndpointAction = withOnOff && level <= 1 ? { on: false } : { brightness, on: withOnOff };
    return this.env.get(HubOrders).act(this.endpoint, this.context, action);
  }
}

/** White lamps whose colour temperature is set. */
export class OrderedTemperature extends ColorControlServer.with("ColorTemperature") {
  static override readonly lockOnInvoke = false;

  override moveToColorTemperatureLogic(mireds: number): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { kelvin: kelvinOf(mireds) });
  }

  override syncColorTemperatureWithLevelLogic(): void {}
}

/** Lamps of any colour. */
export class OrderedColour extends ColorControlServer.with("ColorTemperature", "HueSaturation", "Xy") {
  static override readonly lockOnInvoke = false;

  override moveToColorTemperatureLogic(mireds: number): Promise<void> {
    return this.env.get(HubOrders).act(this.endpoint, this.context, { kelvin: kelvinOf(mireds) });
  }

  override moveToHueLogic(hue: number): Promise<void> {
    return this.#order(hue, this.state.currentSaturation ?? MOST_LEVEL);
  }

  override moveToSaturationLogic(saturation: number): Promise<void> {
    return this.#order(this.state.currentHue ?? 0, saturation);
  }

  override moveToHueAndSaturationLogic(hue: number, saturation: number): Promise<void> {
    return this.#order(hue, saturation);
  }

  override moveToColorLogic(x: number, y: number): Promise<void> {
    const { hue, saturation } = hueOfXy(x / 65_536, y / 65_536);
    return this.env.get(HubOrders).act(this.endpoint, this.context, { hue, saturation });
  }

  override syncColorTemperatureWithLevelLogic(): void {}

  #order(hue: number, saturation: number): Promise<void> {
    const action = { hue: (hue / MOST_LEVEL) * 360, saturation: (saturation / MOST_LEVEL) * 100 };
    return this.env.get(HubOrders).act(this.endpoint, this.context, action);
  }
}

/** Reciprocal megakelvin as Matter counts, and back. */
export function miredsOf(kelvin: number): number {
  return Math.round(1_000_000 / kelvin);
}

function kelvinOf(mireds: number): number {
  return Math.min(50_000, Math.max(500, Math.round(1_000_000 / Math.max(1, mireds))));
}

/** Hue and saturation of a point of the CIE 1931 chart, by the primaries of sRGB. */
function hueOfXy(x: number, y: number): { hue: number; saturation: number } {
  const [X, Y, Z] = [x / Math.max(y, 1e-6), 1, (1 - x - y) / Math.max(y, 1e-6)];
  const linear = [
    3.2406 * X - 1.5372 * Y - 0.4986 * Z,
    -0.9689 * X + 1.8758 * Y + 0.0415 * Z,
    0.0557 * X - 0.204 * Y + 1.057 * Z,
  ].map((part) => Math.max(0, part));
  const most = Math.max(...linear, 1e-6);
  const [r = 0, g = 0, b = 0] = linear
    .map((part) => part / most)
    .map((part) => (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055));
  const [high, low] = [Math.max(r, g, b), Math.min(r, g, b)];
  const span = high - low;
  if (span < 1e-6) return { hue: 0, saturation: 0 };
  const sixth = high === r ? ((g - b) / span + 6) % 6 : high === g ? (b - r) / span + 2 : (r - g) / span + 4;
  return { hue: sixth * 60, saturation: (span / Math.max(high, 1e-6)) * 100 };
}
