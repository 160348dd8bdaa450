// @ts-check
/**
 * The expected state of an estate: a plain sequential model of the passes that the gates have acknowledged.
 */

/** @typedef {{ part: string, plate: string, at: number, hub: string, direction: "in" | "out" }} Pass */

/** Visits of passes, as lines like those of a hub's dump. @param {readonly Pass[]} passes */
export function visitsOf(passes) {
  /** @type {string[]} */
  const visits = [];
  /** @type {Map<string, Pass>} */
  const inside = new Map();
  const line = (
    /** @type {Pass} */ one,
    /** @type {Pass | null} */ entry,
    /** @type {Pass | null} */ exit,
    /** @type {string} */ status,
  ) =>
    visits.push(
      `${one.part} ${one.plate} ${entry?.at ?? null} ${entry?.hub ?? null} ${exit?.at ?? null} ${exit?.hub ?? null} ${status}`,
    );
  for (const pass of [...passes].sort((a, b) => a.at - b.at)) {
    const key = `${pass.part} ${pass.plate}`;
    const entry = inside.get(key) ?? null;
    inside.delete(key);
    if (pass.direction === "in") {
      if (entry !== null) line(entry, entry, null, "exit_missed");
      inside.set(key, pass);
    } else if (entry === null) line(pass, null, pass, "entry_missed");
    else line(pass, entry, pass, "closed");
  }
  for (const entry of inside.values()) line(entry, entry, null, "open");
  return visits.sort();
}

/** @param {readonly Pass[]} passes */
export const readsOf = (passes) =>
  passes.map(({ part, plate, at, hub, direction }) => `${part} ${plate} ${at} ${hub} ${direction}`).sort();

/** How many vehicles the estate and each part have inside. @param {readonly Pass[]} passes */
export function insideOf(passes) {
  const open = visitsOf(passes).filter((line) => line.endsWith(" open"));
  /** @type {Record<string, number>} */
  const parts = {};
  for (const line of open) parts[line.split(" ")[0] ?? ""] = (parts[line.split(" ")[0] ?? ""] ?? 0) + 1;
  return { all: new Set(open.map((line) => line.split(" ")[1])).size, parts };
}
