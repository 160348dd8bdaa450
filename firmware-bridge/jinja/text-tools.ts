/** Filters and methods of texts. */
import { argument, type Given } from "./tool.ts";
import {
  arithmetic,
  type Budget,
  checkedList,
  checkedText,
  LONGEST_LIST,
  LONGEST_TEXT,
  membersOf,
  missing,
  payForSearch,
  textOf,
  truthy,
} from "./values.ts";

/** A value as text; a missing one is empty. */
export function text(value: unknown, budget: Budget): string {
  if (value === undefined) throw missing("a text that is not there");
  const written = textOf(value, budget);
  budget.spend(written.length / 64);
  return written;
}

export function replace(value: unknown, given: Given, budget: Budget): string {
  const [source, old, fresh] = [
    text(value, budget),
    text(argument(given, 0, "old"), budget),
    text(argument(given, 1, "new"), budget),
  ];
  payForSearch(source, old, budget);
  const most = argument(given, 2, "count") ?? null;
  const parts = old === "" ? [source] : source.split(old);
  if (source.length + parts.length * fresh.length > LONGEST_TEXT * 2) throw missing("a text of bearable length");
  if (most === null || arithmetic(most) < 0 || arithmetic(most) >= parts.length - 1)
    return checkedText(parts.join(fresh));
  const first = Math.trunc(arithmetic(most)) + 1;
  return checkedText(parts.slice(0, first).join(fresh) + old + parts.slice(first).join(old));
}

/**
 * Splits as Python does: at a text, or at whitespace, where a run counts as one and makes no empty parts; at most
 * `maxsplit` times.
 */
export function split(value: unknown, given: Given, budget: Budget): readonly unknown[] {
  const separator = argument(given, 0, "sep") ?? null;
  const most = Math.trunc(arithmetic(argument(given, 1, "maxsplit") ?? -1));
  const source = text(value, budget);
  const at = separator === null ? null : text(separator, budget);
  if (at === "") throw missing("a text to split at");
  payForSearch(source, at ?? " ", budget);
  const parts: string[] = [];
  let rest = at === null ? source.trimStart() : source;
  while (parts.length !== most && parts.length <= LONGEST_LIST) {
    const end = at === null ? rest.search(/\s/) : rest.indexOf(at);
    if (end === -1) break;
    parts.push(rest.slice(0, end));
    rest = at === null ? rest.slice(end).trimStart() : rest.slice(end + at.length);
  }
  return checkedList(at === null && rest === "" ? parts : [...parts, rest]);
}

export function join(value: unknown, given: Given, budget: Budget): string {
  const separator = text(argument(given, 0, "d") ?? "", budget);
  let joined = "";
  for (const [index, entry] of membersOf(value, budget).entries())
    joined = checkedText(joined + (index === 0 ? "" : separator) + text(entry, budget));
  return joined;
}

/** Cuts what is longer than `length` by more than `leeway`, at the end of a word unless `killwords` is set. */
export function truncate(value: unknown, given: Given, budget: Budget): string {
  const source = text(value, budget);
  const length = Math.max(0, Math.trunc(arithmetic(argument(given, 0, "length") ?? 255)));
  const end = text(argument(given, 2, "end") ?? "...", budget);
  const leeway = arithmetic(argument(given, 3, "leeway") ?? 5);
  if (source.length <= length + leeway) return source;
  const cut = source.slice(0, Math.max(0, length - end.length));
  const isExact = truthy(argument(given, 1, "killwords"), budget) || !cut.includes(" ");
  return (isExact ? cut : cut.slice(0, cut.lastIndexOf(" "))) + end;
}

export function strip(value: unknown, given: Given, budget: Budget): string {
  const characters = argument(given, 0, "chars");
  const source = text(value, budget);
  return typeof characters === "string" ? stripped(source, { characters, side: "both" }, budget) : source.trim();
}

export function stripped(
  source: string,
  { characters, side }: { characters: string; side: "start" | "end" | "both" },
  budget: Budget,
): string {
  budget.spend(source.length / 8);
  const set = new Set(characters.slice(0, 64));
  let from = 0;
  let to = source.length;
  if (side !== "end") while (from < to && set.has(source[from] ?? "")) from++;
  if (side !== "start") while (to > from && set.has(source[to - 1] ?? "")) to--;
  return source.slice(from, to);
}

export function capitalised(source: string): string {
  return source.charAt(0).toUpperCase() + source.slice(1).toLowerCase();
}

export function indexIn(holder: string, wanted: string, budget: Budget): number {
  payForSearch(holder, wanted, budget);
  return holder.indexOf(wanted);
}
