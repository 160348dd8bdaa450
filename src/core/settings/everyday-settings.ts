/**
 * Settings that a signed-in owner changes without a fresh proof: how fast, how much at a time, the log's form. Every
 * other setting affects who reaches the hub, what is trusted, where data goes, or what is deleted; each new one counts
 * as such until it is listed here.
 */
const EVERYDAY: ReadonlySet<string> = new Set([
  "storage.commitIntervalMs",
  "devices.commandTtlSeconds",
  "devices.offlineAfterSeconds",
  "webhooks.parallel",
  "webhooks.telemetryGapMs",
  "recognition.enabled",
  "recognition.threads",
  "recognition.budgetMs",
  "recognition.queuedBursts",
  "recognition.countries",
  "gate.passSeconds",
  "site.*",
  "log.*",
  "sntp.*",
  "backups.time",
  "box.dailyWriteMegabytes",
  "demo.*",
]);

/** Whether a setting (`group.name`) may be changed without a fresh proof; an unknown one may not. */
export function isEverydaySetting(key: string): boolean {
  return EVERYDAY.has(key) || EVERYDAY.has(`${key.split(".", 1)[0] ?? ""}.*`);
}

/** The names above, in their order. */
export const EVERYDAY_SETTINGS: readonly string[] = [...EVERYDAY];
