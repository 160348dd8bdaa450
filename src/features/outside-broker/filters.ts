/**
 * Whether an MQTT topic filter matches a topic. Filters that begin with a wildcard do not match topics that begin with
 * `$` (MQTT-4.7.2-1).
 */
export function matches(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && (filter.startsWith("+") || filter.startsWith("#"))) return false;
  return covers(filter, topic);
}

/** Whether every topic that `inner` matches is matched by `outer` too. */
export function covers(outer: string, inner: string): boolean {
  const wanted = outer.split("/");
  const given = inner.split("/");
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    const other = given[index];
    if (other === undefined || other === "#" || (level !== "+" && level !== other)) return false;
  }
  return wanted.length === given.length;
}

/** The filters that no other one covers: some brokers deliver a message once for each subscription that matches. */
export function uncovered(filters: readonly string[]): string[] {
  const unique = [...new Set(filters)];
  return unique.filter((filter) => !unique.some((other) => other !== filter && covers(other, filter)));
}
