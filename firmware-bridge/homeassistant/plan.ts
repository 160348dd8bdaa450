/**
 * Maps a device's words to its components' words: outputs get channel numbers, sensors that report the same get a
 * phase's letter, a number or their own name. The same components get the same words, in any order of arrival.
 */
import type { Component, Word } from "./component.ts";

/** One component's part in a word of the device. */
interface Share {
  readonly component: Component;
  /** Its own name of the word. */
  readonly word: string;
}

/** The words of a device. */
export interface Plan {
  /** Output 1 first. */
  readonly outputs: readonly Component[];
  /** The device's word for a component's word. */
  nameOf(component: Component, word: string): string;
  /** Whether a component is part of it. */
  knows(component: Component): boolean;
  /** The components that take a word of the device. */
  takersOf(name: string): readonly Share[];
}

/** Keys that may stand for several components: the value determines which. */
const SHARED: ReadonlySet<string> = new Set(["scene", "message", "update"]);
const LONGEST = 32;

/** Plans the words of these components. */
export function planOf(components: readonly Component[]): Plan {
  const sorted = [...components].sort((a, b) => natural(a.id, b.id) || natural(a.platform, b.platform));
  const outputs = sorted.filter(({ isOutput }) => isOutput);
  const names = new Map<Component, Map<string, string>>(sorted.map((component) => [component, new Map()]));
  const used = new Set<string>();
  const holders = new Map<string, Component[]>();
  for (const component of sorted)
    for (const word of claims(component)) holders.set(word, [...(holders.get(word) ?? []), component]);
  const give = (component: Component, word: string, wanted: string): void => {
    const name = free(wanted.slice(0, LONGEST), used);
    used.add(name);
    names.get(component)?.set(word, name);
  };
  for (const [word, all] of [...holders].filter(([, list]) => list.length === 1 || list.some(takesAny))) {
    const acting = all.filter(takesAny);
    if (SHARED.has(word)) for (const component of all) names.get(component)?.set(word, word);
    else if (all.length === 1) for (const component of all) give(component, word, word);
    else {
      for (const [index, component] of acting.entries())
        give(component, word, acting.length === 1 ? word : `${word}${channelOf(component, outputs) ?? index + 1}`);
      for (const component of all) if (!acting.includes(component)) give(component, word, ownName(component, word));
    }
  }
  for (const [word, all] of holders) if (all.length > 1 && !all.some(takesAny)) shareAmongSensors(word, all, give);
  const nameOf = (component: Component, word: string): string => names.get(component)?.get(word) ?? word;
  const takers = new Map<string, Share[]>();
  for (const component of sorted) {
    for (const word of [...Object.keys(component.takes), ...component.alsoTakes]) {
      const name = nameOf(component, word);
      takers.set(name, [...(takers.get(name) ?? []), { component, word }]);
    }
  }
  return { outputs, nameOf, knows: (component) => names.has(component), takersOf: (name) => takers.get(name) ?? [] };
}

function claims(component: Component): string[] {
  return [
    ...new Set([...component.words.map(({ name }) => name), ...Object.keys(component.takes), ...component.alsoTakes]),
  ];
}

function takesAny(component: Component): boolean {
  return Object.keys(component.takes).length > 0 || component.alsoTakes.length > 0;
}

function channelOf(component: Component, outputs: readonly Component[]): number | null {
  const index = outputs.indexOf(component);
  return index === -1 || outputs.length < 2 ? null : index + 1;
}

function ownName(component: Component, word: string): string {
  const own = component.words.find(({ name }: Word) => name === word)?.own ?? word;
  return own === word ? `${word}2` : own;
}

/** `watts1`, `wattsA` if the components' names end like that; else the plainest keeps the word. */
function shareAmongSensors(
  word: string,
  all: readonly Component[],
  give: (component: Component, word: string, wanted: string) => void,
): void {
  const suffixes = all.map((component) => suffixOf(component.words.find(({ name }) => name === word)?.own ?? ""));
  if (suffixes.every((suffix) => suffix !== null) && new Set(suffixes).size === all.length) {
    for (const [index, component] of all.entries()) give(component, word, `${word}${suffixes[index]}`);
    return;
  }
  const plainest = [...all].sort((a, b) => ownName(a, word).length - ownName(b, word).length)[0];
  if (plainest) give(plainest, word, word);
  for (const component of all) if (component !== plainest) give(component, word, ownName(component, word));
}

/** A phase or channel in a name: `powerL1` → 1, `currentA` → A, `channel2Power` → 2. */
function suffixOf(own: string): string | null {
  return (
    /[a-z]L?([1-9]\d?|[A-C])$/.exec(own)?.[1] ??
    /^(?:phase|channel|ch|line|l|relay)([1-9]\d?|[A-C])(?![a-z])/i.exec(own)?.[1] ??
    null
  );
}

function free(wanted: string, used: ReadonlySet<string>): string {
  if (!used.has(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const name = `${wanted.slice(0, LONGEST - 3)}${number}`;
    if (!used.has(name)) return name;
  }
}

/** `relay_2` before `relay_10`. */
function natural(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [x = "", y = ""] = [left[index], right[index]];
    if (x === y) continue;
    const [m, n] = [Number(x), Number(y)];
    return x !== "" && y !== "" && Number.isInteger(m) && Number.isInteger(n) && m !== n ? m - n : x < y ? -1 : 1;
  }
  return 0;
}

function partsOf(text: string): string[] {
  return text.match(/\d+|\D+/g) ?? [];
}
