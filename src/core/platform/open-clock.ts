import { join } from "node:path";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import { ClockTrust, LINUX_CLOCK_FILES, openHubClock } from "./clock-trust.ts";
import type { HubClock } from "./hub-clock.ts";
import { systemClockSetter } from "./system-clock.ts";

/** The hub's time, and the judge of its trust. */
export function openClock({
  machine,
  dataFolder,
  builtAt,
  clockRequest,
  logger,
}: {
  /** The machine's own clock. */
  readonly machine: Clock;
  readonly dataFolder: string;
  /** When this version was built, epoch ms. */
  readonly builtAt: number;
  /** File by which to have the machine's clock set; empty if the host has no helper for that. */
  readonly clockRequest: string;
  readonly logger: Logger;
}): {
  clock: HubClock;
  trust: ClockTrust;
} {
  const savedFile = join(dataFolder, "clock.json");
  const clock = openHubClock(machine, LINUX_CLOCK_FILES, savedFile, undefined, builtAt);
  const setter =
    clockRequest === ""
      ? {}
      : {
          setSystemClock: systemClockSetter({
            file: clockRequest,
            uptimeFile: LINUX_CLOCK_FILES.uptime,
            clock: machine,
          }),
        };
  return { clock, trust: new ClockTrust({ clock, logger, files: LINUX_CLOCK_FILES, savedFile, builtAt, ...setter }) };
}
