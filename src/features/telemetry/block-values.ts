import { inflateRawSync } from "node:zlib";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { unpackTimes } from "./block-format.ts";
import { metricValue } from "./generation.ts";

/** Calls `take` for every number of one metric in a packed block, oldest first. @throws Error on other bytes */
export function eachBlockValue(
  content: { times: Buffer; samples: Buffer },
  metric: string,
  take: (at: number, value: number) => void,
): void {
  const times = unpackTimes(content.times);
  const texts = inflateRawSync(content.samples).toString().split("\n");
  if (times.length !== texts.length)
    throw new Error(`telemetry block: ${times.length} times for ${texts.length} samples`);
  const key = JSON.stringify(metric);
  for (const [index, text] of texts.entries()) {
    if (!text.includes(key)) continue;
    const value = metricValue(JSON.parse(text) as JsonObject, metric); // written by sampleText from a JSON object
    if (value !== null) take(times[index] as number, value);
  }
}
