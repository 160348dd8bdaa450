import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../contract/facts.js";

/** A sample as it is stored: its time in epoch ms and its data as JSON text without line breaks. */
export interface Sample {
  readonly at: number;
  readonly text: string;
}

/** Samples of one device sorted by time; samples of one time stand in the order they came. */
export class SampleList {
  readonly samples: Sample[] = [];

  insert(sample: Sample): void {
    const last = this.samples.at(-1);
    if (last === undefined || last.at <= sample.at) this.samples.push(sample);
    else this.samples.splice(firstAfter(this.samples, sample.at), 0, sample);
  }

  /** Whether a sample with this time and equal data is there. */
  has(at: number, text: string): boolean {
    for (let i = firstAfter(this.samples, at) - 1; i >= 0; i--) {
      const sample = this.samples[i];
      if (sample === undefined || sample.at !== at) return false;
      if (sameData(sample.text, text)) return true;
    }
    return false;
  }

  /** The samples in [fromMs, toMs]. */
  range(fromMs: number, toMs: number): Sample[] {
    return this.samples.slice(firstAfter(this.samples, fromMs - 1), firstAfter(this.samples, toMs));
  }
}

/** Index of the first sample later than `at`. */
function firstAfter(samples: readonly Sample[], at: number): number {
  let low = 0;
  let high = samples.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether two JSON texts hold equal data, whatever the order of their keys. */
export function sameData(left: string, right: string): boolean {
  if (left === right) return true;
  return left.length === right.length && characterSum(left) === characterSum(right) && isDeepStrictEqual(JSON.parse(left), JSON.parse(right));
}

/** The same for the same characters in any order: nearly all texts that differ are told apart without parsing them. */
function characterSum(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i) ** 2;
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
