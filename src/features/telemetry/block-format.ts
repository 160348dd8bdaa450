import { promisify } from "node:util";
import { deflateRaw, inflateRawSync } from "node:zlib";
import type { Sample } from "./sample.ts";

const deflate = promisify(deflateRaw);

/** Most samples in one block. */
export const BLOCK_SAMPLES = 500;
/** Most text in one block, so that reading one sample never unpacks much more. */
const BLOCK_CHARS = 262_144;
/** A silence this long ends a block, so that late samples do not stretch blocks over weeks. */
const BLOCK_GAP_MS = 86_400_000;

/** A time, or the difference of two, of at most 2^56 ms. */
const MOST_TIME_BYTES = 8;

/** A block ready to be stored. */
export interface PackedBlock {
  readonly fromAt: number;
  readonly toAt: number;
  readonly count: number;
  readonly times: Buffer;
  readonly samples: Buffer;
}

/** Cuts samples sorted by time into runs that become one block each. */
export function cutIntoBlocks(samples: readonly Sample[]): Sample[][] {
  const runs: Sample[][] = [];
  let run: Sample[] = [];
  let chars = 0;
  for (const sample of samples) {
    const last = run.at(-1);
    const full = run.length >= BLOCK_SAMPLES || chars + sample.text.length > BLOCK_CHARS;
    if (last !== undefined && (full || sample.at - last.at > BLOCK_GAP_MS)) {
      runs.push(run);
      run = [];
      chars = 0;
    }
    run.push(sample);
    chars += sample.text.length;
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/** Packs one run: times as variable-length differences, texts deflated (off the main thread). */
export async function packBlock(run: readonly Sample[]): Promise<PackedBlock> {
  const times = packTimes(run.map((sample) => sample.at));
  // As bytes: the library would keep the text as well until it is done, long enough for the collector to move it.
  const texts = Buffer.from(run.map((sample) => sample.text).join("\n"));
  const samples = await deflate(texts, { level: 6 });
  const [first, last] = [run.at(0), run.at(-1)] as [Sample, Sample]; // a run has at least one
  return { fromAt: first.at, toAt: last.at, count: run.length, times, samples };
}

/** A packed block as a row of the table, for the device with this number. */
export function blockRow(device: number, { fromAt, toAt, count, times, samples }: PackedBlock) {
  return { device, fromAt, toAt, count, bytes: times.length + samples.length, times, samples };
}

/** Undoes {@link packBlock}. @throws Error on bytes that it did not write, as far as that shows */
export function unpackBlock(content: { times: Buffer; samples: Buffer }): Sample[] {
  const texts = inflateRawSync(content.samples).toString().split("\n");
  const times = unpackTimes(content.times);
  if (times.length !== texts.length)
    throw new Error(`telemetry block: ${times.length} times for ${texts.length} samples`);
  return texts.map((text, index) => ({ at: times[index] as number, text: soundText(text) }));
}

function soundText(text: string): string {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) throw new Error("telemetry block: a sample is no object");
  return text;
}

function packTimes(times: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(times.length * MOST_TIME_BYTES);
  let length = 0;
  let previous = 0;
  for (const at of times) {
    let step = at - previous;
    previous = at;
    while (step >= 128) {
      bytes[length++] = (step % 128) + 128;
      step = Math.floor(step / 128); // beyond 32 bits: no bitwise operators
    }
    bytes[length++] = step;
  }
  return Buffer.from(bytes.subarray(0, length));
}

/** The times of a block, ascending. */
export function unpackTimes(packed: Buffer): number[] {
  const times: number[] = [];
  let at = 0;
  let step = 0;
  let scale = 1;
  for (let index = 0; index < packed.length; index++) {
    const byte = packed[index] as number;
    step += (byte % 128) * scale;
    if (byte >= 128) scale *= 128;
    else {
      at += step;
      times.push(at);
      step = 0;
      scale = 1;
    }
  }
  return times;
}
