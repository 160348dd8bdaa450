import { readFileSync } from "node:fs";

/** Processor temperature in °C, or null where the board has no sensor that Linux knows. */
export function temperatureCelsius(): number | null {
  const text = readOrNull("/sys/class/thermal/thermal_zone0/temp");
  return text === null ? null : Number(text) / 1000;
}

/** Whether a Raspberry Pi's supply sagged since boot; null on boards that do not report it. */
export function underVoltage(): boolean | null {
  for (let index = 0; index < 4; index++) {
    if (readOrNull(`/sys/class/hwmon/hwmon${index}/name`)?.trim() !== "rpi_volt") continue;
    const alarm = readOrNull(`/sys/class/hwmon/hwmon${index}/in0_lcrit_alarm`);
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
