import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../core/kernel/json-object.ts";

/** A stored sample: its time in epoch ms and its data as JSON text without line breaks. */
export interface Sample {
  readonly at: number;
  readonly text: string;
}

/**
 * Samples of one device sorted by time, those with the same time in order of arrival. Times and texts are kept in
 * separate arrays: an object and a boxed number for each of the many samples would take more room than their content,
 * and the engine time to manage.
 */
export class SampleList {
  readonly #times: number[] = [];
  readonly #texts: string[] = [];
  /** By time, the canonical data of its samples: for times shared by so many that comparing each would be expensive. */
  #crowded: Map<number, Set<string>> | null = null;

  get length(): number {
    return this.#times.length;
  }

  /** All samples; the array is built at each call. */
  get samples(): Sample[] {
    return this.#between(0, this.#times.length);
  }

  /** Characters of all texts. */
  get chars(): number {
    return this.#texts.reduce((sum, text) => sum + text.length, 0);
  }

  insert(at: number, text: string): void {
    this.#crowded?.get(at)?.add(oneForm(text));
    const last = this.#times.at(-1);
    if (last === undefined || last <= at) {
      this.#times.push(at);
      this.#texts.push(text);
      return;
    }
    const place = firstAfter(this.#times, at);
    this.#times.splice(place, 0, at);
    this.#texts.splice(place, 0, text);
  }

  /** Whether a sample with this time and equal data is there. */
  has(at: number, text: string): boolean {
    const last = this.#times.at(-1);
    if (last === undefined || last < at) return false; // nearly always
    const end = firstAfter(this.#times, at);
    if (end > CROWD && this.#times[end - CROWD] === at) return this.#crowdAt(at, end).has(oneForm(text));
    let sum: number | undefined;
    for (let i = end - 1; i >= 0 && this.#times[i] === at; i--) {
      const other = this.#texts[i] ?? "";
      if (other === text) return true;
      if (other.length !== text.length) continue;
      sum ??= characterSum(text);
      if (characterSum(other) === sum && sameParsed(other, text)) return true;
    }
    return false;
  }

  #crowdAt(at: number, end: number): Set<string> {
    this.#crowded ??= new Map();
    let crowd = this.#crowded.get(at);
    if (crowd === undefined) {
      crowd = new Set();
      for (let i = end - 1; i >= 0 && this.#times[i] === at; i--) crowd.add(oneForm(this.#texts[i] ?? ""));
      this.#crowded.set(at, crowd);
    }
    return crowd;
  }

  /** The samples in [fromMs, toMs]. */
  range(fromMs: number, toMs: number): Sample[] {
    return this.#between(firstAfter(this.#times, fromMs - 1), firstAfter(this.#times, toMs));
  }

  #between(first: number, end: number): Sample[] {
    return this.#times.slice(first, end).map((at, index) => ({ at, text: this.#texts[first + index] ?? "" }));
  }
}

/** From this many samples of one time on, their data is kept in canonical form: more than arrive in one millisecond. */
const CROWD = 40;
/** The latest result of {@link oneForm}: the same sample is looked for in several places. */
let lastForm = { text: "", form: "" };

/** The same text for equal data, whatever the order of its keys. */
function oneForm(text: string): string {
  if (lastForm.text !== text) lastForm = { text, form: JSON.stringify(sorted(JSON.parse(text))) };
  return lastForm.form;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Index of the first time later than `at`. */
function firstAfter(times: readonly number[], at: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1; // below `high`: it exists
    if ((times[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sameParsed(left: string, right: string): boolean {
  return isDeepStrictEqual(JSON.parse(left), JSON.parse(right));
}

/** Equal for the same characters in any order: nearly all texts that differ are distinguished without parsing them. */
function characterSum(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    sum = (sum + Math.imul(character, character)) | 0;
  }
  return sum;
}

/** The stored form of data. */
export function sampleText(data: JsonObject): string {
  return JSON.stringify(data);
}

/** The data of a stored sample. */
export function sampleData(sample: Sample): JsonObject {
  return JSON.parse(sample.text) as JsonObject; // written by sampleText from a JSON object
}
