import releases from "./node-releases.json" with { type: "json" };

/**
 * The last day on which the line of a Node.js version gets security updates, by the schedule of the Node.js project.
 * @param version such as "24.21.0"
 * @returns YYYY-MM-DD, or null for a line that is newer than this schedule
 */
export function endOfLife(version: string): string | null {
  const days: Record<string, string> = releases.endOfLife;
  return days[version.split(".")[0] ?? ""] ?? null;
}

/** Whether that day is over. @param now milliseconds since 1970 */
export function isPast(day: string, now: number): boolean {
  return new Date(now).toISOString().slice(0, 10) > day;
}
