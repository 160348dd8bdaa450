import type { Logger } from "./logger.ts";

/** A part of the hub with work to start and to undo. Constructors only store; `start` does the work. */
export interface Service {
  readonly name: string;
  /** Resolves when the part serves. Throws when it cannot; the hub then stops what already runs. */
  start(): Promise<void>;
  /** Undoes `start`; resolves when nothing of it is running any more. Safe to call when never started. */
  stop(): Promise<void>;
}

/** One step of the ordered shutdown: its services stop side by side, within `limitMs` together. */
export interface StopStage {
  readonly name: string;
  readonly limitMs: number;
  readonly services: readonly Service[];
}

/** Starts services one after the other; when one fails, stops those before it in reverse order and rethrows. */
export async function startInOrder(services: readonly Service[], logger: Logger): Promise<void> {
  const running: Service[] = [];
  for (const service of services) {
    try {
      await service.start();
      running.push(service);
    } catch (error) {
      logger.error({ service: service.name, err: error }, "service failed to start");
      for (const earlier of running.reverse()) await earlier.stop();
      throw error;
    }
  }
}

/**
 * Stops stage after stage. A service that is late is named in the log and left behind; returns the names of the late.
 */
export async function stopInStages(stages: readonly StopStage[], logger: Logger): Promise<string[]> {
  const late: string[] = [];
  for (const stage of stages) {
    const pending = new Set(stage.services.map((service) => service.name));
    const stops = stage.services.map(async (service) => {
      try {
        await service.stop();
      } catch (error) {
        logger.error({ service: service.name, err: error }, "service failed to stop cleanly");
      }
      pending.delete(service.name);
    });
    await Promise.race([Promise.all(stops), delay(stage.limitMs)]);
    for (const name of pending) {
      late.push(name);
      logger.warn({ stage: stage.name, service: name, limitMs: stage.limitMs }, "service is late to stop");
    }
  }
  return late;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
