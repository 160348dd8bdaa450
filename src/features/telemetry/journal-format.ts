import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { LineWriter } from "./line-writer.ts";
import { type Sample, sampleData } from "./sample.ts";

/** One sample of a journalled message; `own`: the time is the device's, not the hub's. */
export interface JournalSample extends Sample {
  readonly own: boolean;
}

/** The entries of one journal row, in order. */
export type JournalEntry =
  /** A message that was stored. `pending`: a webhook wants its samples and has not received them yet. */
  | {
      readonly kind: "message";
      readonly ref: number;
      readonly messageId: number | null;
      /** Checksum of the whole payload, for recognising a redelivery; its samples here may be fewer. */
      readonly check: number;
      readonly pending: boolean;
      readonly samples: readonly JournalSample[];
    }
  /** All samples of this device before this entry have been handed to the webhooks' outbox. */
  | { readonly kind: "reported"; readonly ref: number }
  /** Samples carried over from compacted rows that webhooks still wait for. */
  | { readonly kind: "carried"; readonly ref: number; readonly samples: readonly Sample[] };

/** Rows shorter than this are not worth compressing. */
const COMPRESS_FROM_BYTES = 400;
/**
 * Rows are read again within minutes: the fastest level. With a window of 8 kB it makes readings as small as level 3
 * does with the usual one, in two thirds of the time.
 */
const DEFLATE = { level: 1, windowBits: 13 };
/** The first byte of a row. Rows of earlier versions have no checksum. */
const FORMS = { uncheckedPlain: 0, uncheckedDeflated: 1, plain: 2, deflated: 3 };
const CHECKSUM_BYTES = 4;
const writer = new LineWriter();

/**
 * Packs the entries of one group commit. Lines of text after one form byte and a checksum (CRC-32), deflated when that
 * pays: `m`/`M` message (M: webhooks wait for it) with ref, message id and check; `a`/`r` sample with the device's /
 * the hub's time; `w` reported; `o` carried. JSON text holds no raw tabs or line breaks.
 */
export function packJournal(entries: readonly JournalEntry[]): Buffer {
  writer.clear();
  entries.forEach(writeLines);
  const plain = writer.written();
  if (plain.length < COMPRESS_FROM_BYTES) return seal(FORMS.plain, plain);
  return seal(FORMS.deflated, deflateRawSync(plain, DEFLATE));
}

function seal(form: number, body: Buffer): Buffer {
  const head = Buffer.alloc(1 + CHECKSUM_BYTES);
  head[0] = form;
  head.writeUInt32BE(crc32(body), 1);
  return Buffer.concat([head, body]);
}

function open(packed: Buffer): string {
  const form = packed[0];
  if (form === FORMS.uncheckedPlain) return packed.subarray(1).toString();
  if (form === FORMS.uncheckedDeflated) return inflateRawSync(packed.subarray(1)).toString();
  const body = packed.subarray(1 + CHECKSUM_BYTES);
  if ((form !== FORMS.plain && form !== FORMS.deflated) || packed.readUInt32BE(1) !== crc32(body))
    throw new Error("telemetry journal: the row is not as it was written");
  return (form === FORMS.deflated ? inflateRawSync(body) : body).toString();
}

function writeLines(entry: JournalEntry): void {
  if (entry.kind === "reported") writer.add(`w${entry.ref}\n`);
  else if (entry.kind === "carried") for (const sample of entry.samples) writeSample(`o${entry.ref}\t`, sample);
  else {
    writer.add(entry.pending ? "M" : "m");
    writer.addNumber(entry.ref);
    writer.add("\t");
    if (entry.messageId !== null) writer.addNumber(entry.messageId);
    writer.add("\t");
    writer.addNumber(entry.check);
    writer.add("\n");
    for (const sample of entry.samples) writeSample(sample.own ? "a" : "r", sample);
  }
}

function writeSample(kind: string, { at, text }: Sample): void {
  writer.add(kind);
  writer.addNumber(at);
  writer.add("\t");
  writer.add(text);
  writer.add("\n");
}

/**
 * Undoes {@link packJournal}.
 * @throws Error on bytes that it did not write; changes in a row of an earlier version may go unnoticed
 */
export function unpackJournal(packed: Buffer): JournalEntry[] {
  const text = open(packed);
  const entries: JournalEntry[] = [];
  let samples: JournalSample[] = [];
  /** Lines of one device in a row are one entry, exactly as written: there may be thousands. */
  let carried: { readonly ref: number; readonly samples: Sample[] } | null = null;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [first = "", second = "", third = ""] = splitLine(line.slice(1));
    const kind = line[0];
    if (kind !== "o") carried = null;
    if (kind === "m" || kind === "M") {
      samples = [];
      entries.push({
        kind: "message",
        ref: Number(first),
        messageId: second === "" ? null : Number(second),
        check: Number(third),
        pending: kind === "M",
        samples,
      });
    } else if (kind === "a" || kind === "r") samples.push({ own: kind === "a", at: Number(first), text: second });
    else if (kind === "w") entries.push({ kind: "reported", ref: Number(first) });
    else if (kind === "o") {
      const ref = Number(first);
      if (carried === null || carried.ref !== ref) {
        carried = { ref, samples: [] };
        entries.push({ kind: "carried", ...carried });
      }
      carried.samples.push({ at: Number(second), text: third });
    } else throw new Error(`telemetry journal: unknown entry ${JSON.stringify(line.slice(0, 20))}`);
  }
  return entries;
}

function splitLine(line: string): string[] {
  return line.split("\t");
}

/** The entries of a row of the journal, each with the data of its samples; null when any of it cannot be read. */
export function readJournalRow(packed: Buffer): [JournalEntry, JsonObject[]][] | null {
  try {
    return unpackJournal(packed).map((entry) => [
      entry,
      entry.kind === "reported" ? [] : entry.samples.map(sampleData),
    ]);
  } catch {
    return null;
  }
}
