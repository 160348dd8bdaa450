import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Processor temperature in °C, or null if the board has no sensor that Linux knows. */
export function temperatureCelsius(): number | null {
  const text = readOrNull("/sys/class/thermal/thermal_zone0/temp");
  return text === null ? null : Number(text) / 1000;
}

/**
 * Whether a Raspberry Pi's supply voltage has been too low since boot (sensor `rpi_volt`); null on boards that do not
 * report it.
 */
export function underVoltage(sys = "/sys"): boolean | null {
  const root = join(sys, "class/hwmon");
  for (const name of existsSync(root) ? readdirSync(root) : []) {
    if (readOrNull(join(root, name, "name"))?.trim() !== "rpi_volt") continue;
    const alarm = readOrNull(join(root, name, "in0_lcrit_alarm"));
    return alarm === null ? null : alarm.trim() === "1";
  }
  return null;
}

/** The board's own name for itself (`Raspberry Pi 5 Model B …`), or null on a PC. */
export function boardModel(): string | null {
  return readOrNull("/proc/device-tree/model")?.replace(/\0$/, "") ?? null;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
