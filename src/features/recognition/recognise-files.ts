import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { kept } from "../../core/plates/kept.ts";
import type { BurstReading, VehicleReading } from "../../core/plates/reading.ts";

/** One plate of a picture, as `gatehouse recognise` prints it. */
interface RecognisedPlate {
  readonly plate: string | null;
  readonly formatted: string | null;
  readonly plateKind: string;
  readonly status: "recognised" | "unrecognised";
  readonly reason: string | null;
  readonly confidence: number;
  /** Letters and digits as seen, before any correction. */
  readonly text: string;
  /** Pixels of the picture. */
  readonly box: readonly number[];
  /** Top left, top right, bottom right, bottom left. */
  readonly corners: readonly (readonly number[])[];
}

/** One line of `gatehouse recognise`: a picture, or a folder that was read as one burst. */
export interface RecognisedFile {
  readonly file: string;
  readonly ms: number;
  /** Best first; recognised plates before others. */
  readonly plates: readonly RecognisedPlate[];
  /** Why nothing was recognised; null when something was. */
  readonly reason: string | null;
  /** Frames that the recogniser was run on. */
  readonly samples: number;
}

/** What reads the pictures: the recogniser (recogniser.ts). */
export interface PictureReader {
  read(burst: { readonly frames: readonly Uint8Array[] }): Promise<BurstReading>;
}

/** A file that cannot be read counts as a broken picture. */
const UNREADABLE = Buffer.alloc(0);
const PICTURES = /\.(jpe?g|png|webp)$/i;

/** How pictures are read and what is reported. */
export interface RecogniseOptions {
  /** Whether the pictures directly in a folder are frames of one burst; single files are bursts of one. */
  readonly burst: boolean;
  /** Whether to include what the detector proposes and the hub would not store. */
  readonly candidates: boolean;
}

/**
 * Reads pictures one after another, with the hub's own pipeline. `paths` are files and folders (folders with everything
 * below them, in order of names). Plates are those that the hub would store.
 * @throws Error (ENOENT) when a path does not exist
 */
export async function* recogniseFiles(
  reader: PictureReader,
  paths: readonly string[],
  options: RecogniseOptions,
): AsyncGenerator<RecognisedFile> {
  for (const path of paths) {
    for await (const group of groupsOf(path, options.burst)) {
      const started = performance.now();
      const frames = await Promise.all(group.files.map((file) => readFile(file).catch(() => UNREADABLE)));
      const reading = await reader.read({ frames });
      yield {
        file: group.name,
        ms: Math.round((performance.now() - started) * 10) / 10,
        ...shown(reading, options.candidates),
      };
    }
  }
}

/** Head of the table whose rows {@link describeResult} makes. */
export const RESULT_HEAD = `${"plates".padEnd(40)}${"ms".padStart(8)}  file`;

/** A person's line of a result: a row of a table whose last column is the file. */
export function describeResult(result: RecognisedFile): string {
  const plates = result.plates.map(({ formatted, text, confidence, status }) =>
    status === "recognised" ? `${formatted} (${confidence} %)` : text === "" ? "?" : `? ${text}`,
  );
  const words = plates.length > 0 ? plates.join(", ") : `- ${(result.reason ?? "nothing").replaceAll("_", " ")}`;
  return `${words.padEnd(40)}${result.ms.toFixed(0).padStart(8)}  ${result.file}`;
}

function shown(reading: BurstReading, candidates: boolean): Pick<RecognisedFile, "plates" | "reason" | "samples"> {
  return {
    plates: (candidates ? [...reading.vehicles, ...reading.unread] : kept(reading)).map(plateOf),
    reason: reading.reason,
    samples: reading.samples,
  };
}

function plateOf({ analysis, best }: VehicleReading): RecognisedPlate {
  return {
    plate: analysis.plate,
    formatted: analysis.formatted,
    plateKind: analysis.kind,
    status: analysis.status,
    reason: analysis.reason,
    confidence: analysis.confidence,
    text: analysis.text,
    box: best.box.map(rounded),
    corners: best.corners.map((point) => point.map(rounded)),
  };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

async function* groupsOf(
  path: string,
  burst: boolean,
): AsyncGenerator<{ readonly name: string; readonly files: readonly string[] }> {
  if (!(await stat(path)).isDirectory()) {
    yield { name: path, files: [path] };
    return;
  }
  const entries = (await readdir(path, { withFileTypes: true })).sort((a, b) =>
    a.name.localeCompare(b.name, "en", { numeric: true }),
  );
  const files = entries
    .filter((entry) => !entry.isDirectory() && PICTURES.test(entry.name))
    .map((entry) => join(path, entry.name));
  if (burst && files.length > 0) yield { name: path, files };
  else for (const file of files) yield { name: file, files: [file] };
  for (const entry of entries)
    if (entry.isDirectory() && !basename(entry.name).startsWith(".")) yield* groupsOf(join(path, entry.name), burst);
}
