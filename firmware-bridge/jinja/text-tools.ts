/** Filters and methods of texts. */
import { argument, type Given } from "./tool.js";
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
} from "./values.js";

/** A value as text; what is not there is none. */
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
  const parts = old === "" ? [source] : source.split(old);
  if (source.length + parts.length * fresh.length > LONGEST_TEXT * 2) throw missing("a text of bearable length");
  return checkedText(parts.join(fresh));
}

export function split(value: unknown, given: Given, budget: Budget): readonly unknown[] {
  const separator = argument(given, 0, "sep");
  const source = text(value, budget);
  payForSearch(source, typeof separator === "string" ? separator : " ", budget);
  const parts =
    typeof separator === "string" && separator !== ""
      ? source.split(separator, LONGEST_LIST + 1)
      : source.trim().split(/\s+/, LONGEST_LIST + 1);
  return checkedList(parts);
}

export function join(value: unknown, given: Given, budget: Budget): string {
  const separator = text(argument(given, 0, "d") ?? "", budget);
  let joined = "";
  for (const [index, entry] of membersOf(value, budget).entries())
    joined = checkedText(joined + (index === 0 ? "" : separator) + text(entry, budget));
  return joined;
}

/** Cuts at `length`; no word is kept whole, whatever `killwords` says. */
export function truncate(value: unknown, given: Given, budget: Budget): string {
  const source = text(value, budget);
  const length = Math.max(0, Math.trunc(arithmetic(argument(given, 0, "length") ?? 255)));
  const end = text(argument(given, 2, "end") ?? "...", budget);
  return source.length <= length ? source : source.slice(0, Math.max(0, length - end.length)) + end;
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
