interface Branch<Value> {
  readonly children: Map<string, Branch<Value>>;
  readonly values: Set<Value>;
}

/**
 * Values by MQTT topic filter (`+` one level, `#` the rest), found by topic. A value under several filters is found
 * once for each. Topics that begin with `$` get no special treatment here; that is the caller's decision.
 */
export class TopicTree<Value> {
  readonly #root: Branch<Value> = newBranch();
  #version = 0;

  /** Grows with every {@link add} and {@link remove}: earlier matches stay valid until then. */
  get version(): number {
    return this.#version;
  }

  /** Puts `value` under `filter`; a value that is there already stays once. */
  add(filter: string, value: Value): void {
    this.#version += 1;
    let branch = this.#root;
    for (const level of filter.split("/")) {
      let next = branch.children.get(level);
      if (next === undefined) {
        next = newBranch();
        branch.children.set(level, next);
      }
      branch = next;
    }
    branch.values.add(value);
  }

  /** Takes `value` from under `filter`, and the branches that become empty with it. */
  remove(filter: string, value: Value): void {
    this.#version += 1;
    const path: { parent: Branch<Value>; level: string; branch: Branch<Value> }[] = [];
    let branch = this.#root;
    for (const level of filter.split("/")) {
      const next = branch.children.get(level);
      if (next === undefined) return;
      path.push({ parent: branch, level, branch: next });
      branch = next;
    }
    branch.values.delete(value);
    for (const step of path.reverse()) {
      if (step.branch.values.size > 0 || step.branch.children.size > 0) return;
      step.parent.children.delete(step.level);
    }
  }

  /** The values whose filters match `topic`; wider filters first. */
  match(topic: string): Value[] {
    const found: Value[] = [];
    collect(this.#root, topic.split("/"), 0, found);
    return found;
  }

  /** Whether any filter matches `topic`. */
  has(topic: string): boolean {
    return this.match(topic).length > 0;
  }

  /** The values under filters that some topic matches which `filter` matches too. */
  overlapping(filter: string): Value[] {
    const found: Value[] = [];
    collectOverlapping(this.#root, filter.split("/"), 0, found);
    return found;
  }
}

function newBranch<Value>(): Branch<Value> {
  return { children: new Map(), values: new Set() };
}

function collect<Value>(branch: Branch<Value>, levels: readonly string[], depth: number, found: Value[]): void {
  const rest = branch.children.get("#"); // also matches the parent level itself (MQTT 3.1.1 §4.7.1.2)
  if (rest) found.push(...rest.values);
  const level = levels[depth];
  if (level === undefined) {
    found.push(...branch.values);
    return;
  }
  const any = branch.children.get("+");
  if (any) collect(any, levels, depth + 1, found);
  const exact = branch.children.get(level);
  if (exact && level !== "+" && level !== "#") collect(exact, levels, depth + 1, found);
}

function collectOverlapping<Value>(
  branch: Branch<Value>,
  levels: readonly string[],
  depth: number,
  found: Value[],
): void {
  const level = levels[depth];
  if (level === "#") {
    collectAll(branch, found);
    return;
  }
  const rest = branch.children.get("#");
  if (rest) found.push(...rest.values);
  if (level === undefined) found.push(...branch.values);
  else {
    // By name where possible: a level may have thousands of children.
    const children =
      level === "+"
        ? [...branch.children].flatMap(([name, child]) => (name === "#" ? [] : [child]))
        : [branch.children.get(level), branch.children.get("+")];
    for (const child of children) if (child) collectOverlapping(child, levels, depth + 1, found);
  }
}

function collectAll<Value>(branch: Branch<Value>, found: Value[]): void {
  found.push(...branch.values);
  for (const child of branch.children.values()) collectAll(child, found);
}

/** Whether the topic filter `filter` matches `topic`. */
export function filterMatches(filter: string, topic: string): boolean {
  const wanted = filter.split("/");
  const levels = topic.split("/");
  for (const [index, part] of wanted.entries()) {
    if (part === "#") return true;
    const level = levels[index];
    if (level === undefined || (part !== "+" && part !== level)) return false;
  }
  return wanted.length === levels.length;
}
