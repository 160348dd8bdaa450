import { systemClockSetter } from "../platform/system-clock.js";
import type { Base } from "./base.js";

/** How the machine's clock is set from a signed-in browser; nothing where the box has no part that may. */
export function clockSetting({ settings, clock }: Pick<Base, "settings" | "clock">): { setSystemClock?: (wallMs: number) => Promise<boolean> } {
  const file = settings().box.clockRequest;
  return file === "" ? {} : { setSystemClock: systemClockSetter({ file, uptimeFile: "/proc/uptime", clock }) };
}
