/**
 * Settings that a signed-in owner changes without a fresh proof: how long things are kept, how fast, how the log looks. Every other
 * setting bears on who reaches the hub, what is trusted, or where data goes; so does each new one until it stands here.
 */
const EVERYDAY: ReadonlySet<string> = new Set([
  "storage.commitIntervalMs",
  "storage.minFreeMegabytes",
  "devices.*",
  "telemetry.*",
  "feed.*",
  "webhooks.parallel",
  "webhooks.telemetryGapMs",
  "webhooks.keepHours",
  "webhooks.keepRows",
  "webhooks.logDays",
  "plates.*",
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
  "backups.keepDaily",
  "backups.keepWeekly",
  "box.dailyWriteMegabytes",
  "demo.*",
]);

/** Whether a setting (`group.name`) may be changed without a fresh proof; a name that does not exist may not. */
export function isEverydaySetting(key: string): boolean {
  return EVERYDAY.has(key) || EVERYDAY.has(`${key.split(".", 1)[0] ?? ""}.*`);
}

/** The names above, as they stand there. */
export const EVERYDAY_SETTINGS: readonly string[] = [...EVERYDAY];
