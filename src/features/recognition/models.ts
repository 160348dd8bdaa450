import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** Names of the model files in their folder. */
export const DETECTOR_FILE = "plate-detector.onnx";
/** Names of the model files in their folder. */
export const READER_FILE = "plate-reader.onnx";
/** Names of the model files in their folder; the hub reads without this one, too. */
const SECOND_READER_FILE = "plate-second-reader.onnx";
/** Names of the model files in their folder; without this one, what is around a plate says nothing. */
const SURROUNDINGS_FILE = "plate-surroundings.onnx";
const MANIFEST_FILE = "manifest.json";

/** The models with what the manifest says about them. */
export interface ModelFiles {
  readonly detector: Uint8Array;
  readonly reader: Uint8Array;
  /** Null where it is switched off or absent. */
  readonly secondReader: Uint8Array | null;
  /** Null where it is absent. */
  readonly surroundings: Uint8Array | null;
  /** Digest of all; changes when a file is replaced. */
  readonly version: string;
  /** Candidates below this score are dropped. */
  readonly scoreThreshold: number;
  readonly inputWidth: number;
  readonly inputHeight: number;
}

/** The models cannot be used; the message says why in plain words. */
export class NoModels extends Error {
  override readonly name = "NoModels";
}

interface ManifestEntry {
  readonly file?: unknown;
  readonly sha256?: unknown;
  readonly scoreThreshold?: unknown;
  readonly inputWidth?: unknown;
  readonly inputHeight?: unknown;
}

/** Times and sizes of the files: a cheap way to notice a replacement. Null when one is missing. */
export async function modelsStamp(folder: string): Promise<string | null> {
  try {
    const files = await Promise.all([DETECTOR_FILE, READER_FILE].map((name) => stat(join(folder, name))));
    const others = await Promise.all(
      [SECOND_READER_FILE, SURROUNDINGS_FILE].map((name) => stat(join(folder, name)).catch(() => null)),
    );
    return [...files, ...others.filter((file) => file !== null)]
      .map((file) => `${file.ino} ${file.size} ${file.mtimeMs}`)
      .join(" ");
  } catch {
    return null; // absent or unreadable: the recogniser reports that
  }
}

/**
 * Reads the models and checks their digests against the manifest, if there is one.
 * @throws NoModels when a file is missing, or is not the one that the manifest names (a truncated copy)
 */
export async function readModels(folder: string, withSecondReader = true): Promise<ModelFiles> {
  const [detector, reader] = await Promise.all([readModel(folder, DETECTOR_FILE), readModel(folder, READER_FILE)]);
  const secondReader = withSecondReader ? await readFile(join(folder, SECOND_READER_FILE)).catch(() => null) : null;
  const surroundings = await readFile(join(folder, SURROUNDINGS_FILE)).catch(() => null);
  const entries = await readManifest(folder);
  const digests = [
    { name: DETECTOR_FILE, digest: sha256(detector) },
    { name: READER_FILE, digest: sha256(reader) },
    ...(secondReader === null ? [] : [{ name: SECOND_READER_FILE, digest: sha256(secondReader) }]),
    ...(surroundings === null ? [] : [{ name: SURROUNDINGS_FILE, digest: sha256(surroundings) }]),
  ];
  for (const { name, digest } of digests) {
    const expected = entries.find((entry) => entry.file === name)?.sha256;
    if (typeof expected === "string" && expected !== digest)
      throw new NoModels(`${name} is not the file that ${MANIFEST_FILE} describes`);
  }
  const about = entries.find((entry) => entry.file === DETECTOR_FILE) ?? {};
  return {
    detector,
    reader,
    secondReader,
    surroundings,
    version: digests.map(({ digest }) => digest).join(" "),
    scoreThreshold: numberOr(about.scoreThreshold, 0.3),
    inputWidth: numberOr(about.inputWidth, 512),
    inputHeight: numberOr(about.inputHeight, 288),
  };
}

async function readModel(folder: string, name: string): Promise<Uint8Array> {
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    throw new NoModels(`${name} is missing or cannot be read`, { cause: error });
  }
}

async function readManifest(folder: string): Promise<ManifestEntry[]> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST_FILE), "utf8");
  } catch {
    return []; // models without a manifest are used as they are
  }
  try {
    const manifest = JSON.parse(text) as { models?: ManifestEntry[] }; // members are checked where they are used
    return Array.isArray(manifest.models) ? manifest.models : [];
  } catch (error) {
    throw new NoModels(`${MANIFEST_FILE} is not valid JSON`, { cause: error });
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : otherwise;
}
