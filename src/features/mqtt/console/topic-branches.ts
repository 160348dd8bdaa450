/** A level of MQTT topics with those below it. */
export interface Branch {
  /** The level's own name. */
  readonly name: string;
  /** The topic up to here. */
  readonly topic: string;
  readonly branches: readonly Branch[];
  /** Topics in it and below it. */
  readonly size: number;
}

const inOrder = new Intl.Collator(undefined, { numeric: true });

/** Topics as a tree by their levels. */
export function treeOf(topics: readonly string[], depth = 0): readonly Branch[] {
  const groups = new Map<string, string[]>();
  for (const topic of topics) {
    const name = topic.split("/")[depth];
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), topic]);
  }
  return [...groups]
    .sort(([a], [b]) => inOrder.compare(a, b))
    .map(([name, within]) => ({
      name: name === "" ? "/" : name,
      topic: (within[0] ?? "")
        .split("/")
        .slice(0, depth + 1)
        .join("/"),
      branches: treeOf(within, depth + 1),
      size: within.length,
    }));
}
