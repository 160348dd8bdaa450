import type { Clock, Timer } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import type { CommandDelivery } from "./command-delivery.ts";
import type { DeviceConnections } from "./device-connections.ts";
import type { Intake } from "./intake.ts";
import type { MqttLimits } from "./limits.ts";
import { publishOldWills } from "./old-wills.ts";
import type { Persistence } from "./persistence.ts";

const SWEEP_MS = 2_000;
const SESSION_SWEEP_MS = 3_600_000;

/**
 * The periodic work of a running broker: it forgets what is too old, and publishes the wills of the previous run.
 * Stopping its timers stops it.
 */
export function startHousekeeping({
  brokerId,
  persistence,
  intake,
  devices,
  commands,
  limits,
  clock,
  logger,
}: {
  readonly brokerId: string;
  readonly persistence: Persistence;
  readonly intake: Intake;
  readonly devices: DeviceConnections;
  readonly commands: CommandDelivery;
  readonly limits: MqttLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}): Timer[] {
  const failed = (what: string) => (error: unknown) => logger.error({ err: error }, what);
  const sweepSessions = async (): Promise<void> => {
    for (const id of devices.expired(limits.sessionExpiryMs)) {
      await persistence.forget({ id });
      devices.gone(id);
    }
  };
  return [
    clock.every(SWEEP_MS, () => {
      commands.sweep();
      persistence.sweep();
    }),
    clock.every(SESSION_SWEEP_MS, () => void sweepSessions().catch(failed("sessions could not be swept"))),
    clock.after(
      limits.willGraceMs,
      () => void publishOldWills(brokerId, persistence, intake).catch(failed("wills could not be published")),
    ),
  ];
}
