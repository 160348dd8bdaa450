// @ts-check
/**
 * npm run bench -- anpr FOLDER [--threads 1,2] [--every N] [--plateless FOLDER] [--sheet FOLDER] [--no-boxes] [--subset
 * NAME] [--countries BR,US] [--evidence FILE] [--report FILE [--validated FILE]]
 *
 * Measures the plate recogniser on labelled photographs. FOLDER holds labels.csv (file, x1, y1, x2, y2, text, subset,
 * two_line) and the pictures. End to end takes the best detection with IoU >= 0.3 to a label; a missing one is wrong;
 * every other recognised plate is a false one. Exact = the analyser's plate equals the label with O/0, I/1 and Q/0
 * folded. Every N-th picture only with --every. --sheet writes a page of the misses to a folder outside the project
 * (the photographs show real people's cars). --evidence writes the evidence for and against every read, without any
 * picture, on which models/training/fit_confidence.py fits the confidence. --report writes the page of figures
 * models/evaluation.md; --validated is the output of fit_confidence.py, for its end. Baseline: tesseract on the
 * labelled boxes, where it is installed (Debian's tesseract-ocr).
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import sharp from "sharp";
import { printEffort, printReliability, printTables } from "../lib/anpr-tables.mjs";
import { fold, INDIAN, isExact, readTable } from "../lib/plate-labels.mjs";
import { root } from "../lib/prepare.mjs";
import { writeEvidence } from "./anpr-evidence.mjs";
import { writeReport } from "./anpr-report.mjs";

/** @type {typeof import("../../src/features/recognition/frame-reader.ts")} */
const { FrameReader } = await import("../../src/features/recognition/frame-reader.ts");
const { readModels } = await import("../../src/features/recognition/models.ts");
const { limitDecoder } = await import("../../src/features/recognition/picture.ts");
/** @type {typeof import("../../src/features/recognition/candidates.ts")} */
const { overlap } = await import("../../src/features/recognition/candidates.ts");
/** @type {typeof import("../../src/core/plates/countries.ts")} */
const { Countries } = await import("../../src/core/plates/countries.ts");

/**
 * @typedef {import("../lib/plate-labels.mjs").Label} Label
 * @typedef {import("../lib/plate-labels.mjs").Picture} Picture
 * @typedef {import("../lib/plate-labels.mjs").Row} Row
 * @typedef {import("../lib/plate-labels.mjs").Effort} Effort
 * @typedef {import("../lib/plate-labels.mjs").Timings} Timings
 * @typedef {import("../../src/features/recognition/frame-reader.ts").FrameReader} Reader
 * @typedef {import("../../src/features/recognition/frame-reader.ts").FrameSighting} Sighting
 * @typedef {import("../../src/core/plates/countries.ts").Countries} CountryList
 * @typedef {ReturnType<typeof parse>} Settings
 */

/** @param {string[]} options */
export async function run(options) {
  const settings = parse(options);
  const countries = new Countries(settings.countries);
  process.env.ORT_DISABLE_TELEMETRY = "1"; // read by the library when it is loaded
  const ort = await import("onnxruntime-node");
  limitDecoder();
  const models = await readModels(process.env.GATEHOUSE_MODELS ?? join(root, "models"));
  const pictures = readLabels(settings);
  console.log(
    `${pictures.length} pictures, ${pictures.reduce((n, { labels }) => n + labels.length, 0)} plates; models ${models.version.slice(0, 8)}`,
  );
  printWork();
  /** @type {Row[]} */
  const rows = [];
  for (const [round, threads] of settings.threads.entries()) {
    const reader = await FrameReader.load(ort, models, threads, countries);
    const result = await measure(reader, pictures, settings, round === 0);
    if (round === 0) {
      printTables(result, settings, countries);
      printReliability("of all reads", result.rows);
      printReliability(
        "of Indian plates",
        result.rows.filter(({ label }) => INDIAN.has(label.subset)),
      );
      printEffort(result.efforts);
      if (settings.evidence !== null)
        await writeEvidence({ reader, countries, pictures, file: settings.evidence, bestOf });
      rows.push(...result.rows);
    }
    const ms = result.times.sort((a, b) => a.totalMs - b.totalMs);
    const at = (/** @type {number} */ share) =>
      (ms[Math.min(ms.length - 1, Math.floor(ms.length * share))]?.totalMs ?? Number.NaN).toFixed(1);
    const part = (/** @type {keyof Timings} */ name) =>
      (ms.reduce((sum, time) => sum + time[name], 0) / ms.length).toFixed(1);
    console.log(
      `${threads} thread${threads > 1 ? "s" : ""}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms per picture (decode ${part("decodeMs")}, detect ${part("detectMs")}, read ${part("readMs")} on average)`,
    );
    await timeFullHd(reader, pictures, threads);
    if (round === 0) {
      const plateless = settings.plateless === null ? null : await measurePlateless(reader, settings.plateless);
      const validated = settings.validated === null ? null : readFileSync(settings.validated, "utf8");
      if (settings.report !== null) writeReport(settings.report, { ...result, plateless, validated }, countries);
    }
    await reader.release();
  }
  if (settings.sheet !== null) await drawSheet(rows, settings.sheet);
  baselineTesseract(pictures);
}

/**
 * The cost of one frame with one plate: the detector on the frame and on one close-up, the reader twice; for a doubtful
 * plate two more close-ups and two more views.
 */
function printWork() {
  /** @type {{ models: { file: string, megaMacs: number }[] }} */
  const { models } = JSON.parse(
    readFileSync(join(process.env.GATEHOUSE_MODELS ?? join(root, "models"), "manifest.json"), "utf8"),
  );
  const gflop = (/** @type {string} */ file) =>
    (2 * (models.find((model) => model.file === file)?.megaMacs ?? Number.NaN)) / 1000;
  const [detector, reader] = [gflop("plate-detector.onnx"), gflop("plate-reader.onnx")];
  const closeUp = (detector * 288 * 160) / (288 * 512);
  const [certain, doubtful] = [detector + closeUp + 2 * reader, detector + 3 * closeUp + 4 * reader];
  console.log(
    `work per frame with one plate: ${certain.toFixed(2)} GFLOP; ${doubtful.toFixed(2)} where the plate is doubtful`,
  );
}

/** @param {string[]} options */
function parse(options) {
  const value = (/** @type {string} */ name) =>
    options.includes(name) ? options[options.indexOf(name) + 1] : undefined;
  const folder = options[0];
  if (folder === undefined || folder.startsWith("--")) {
    console.error(
      "usage: npm run bench -- anpr FOLDER [--threads 1,2] [--every N] [--plateless FOLDER] [--sheet FOLDER] [--no-boxes] [--subset NAME] [--countries BR,US] [--evidence FILE] [--report FILE [--validated FILE]]",
    );
    process.exit(2);
  }
  const sheet = value("--sheet") ?? null;
  if (sheet !== null && !relative(root, resolve(sheet)).startsWith("..")) {
    console.error("--sheet: name a folder outside the project; the photographs must not get into it");
    process.exit(2);
  }
  return {
    folder,
    sheet,
    threads: (value("--threads") ?? "1,2").split(",").map(Number),
    every: Number(value("--every") ?? 1),
    plateless: value("--plateless") ?? null,
    subset: value("--subset") ?? null,
    countries: value("--countries")?.split(",") ?? [],
    boxes: !options.includes("--no-boxes"),
    evidence: value("--evidence") ?? null,
    report: value("--report") ?? null,
    validated: value("--validated") ?? null,
  };
}

/** @param {Settings} settings @returns {Picture[]} */
function readLabels({ folder, every, subset }) {
  /** @type {Map<string, Label[]>} */
  const files = new Map();
  for (const { file = "", text = "", subset: set = "", two_line, x1, y1, x2, y2 } of readTable(
    join(folder, "labels.csv"),
  )) {
    if (subset !== null && set !== subset) continue;
    /** @type {Label} */
    const label = {
      box: boxOf({ x1, y1, x2, y2 }),
      text,
      subset: set,
      twoLine: two_line === "1",
    };
    files.set(file, [...(files.get(file) ?? []), label]);
  }
  return [...files]
    .filter((_, index) => index % every === 0)
    .map(([file, labels]) => ({ file, path: join(folder, file), labels }));
}

/** The box of a line of a table. @param {Record<string, string | undefined>} line @returns {Label["box"]} */
function boxOf({ x1, y1, x2, y2 }) {
  return [Number(x1), Number(y1), Number(x2), Number(y2)];
}

/** @param {Reader} reader @param {Picture[]} pictures @param {Settings} settings @param {boolean} isFull */
async function measure(reader, pictures, settings, isFull) {
  /** @type {Timings[]} */
  const times = [];
  /** @type {Row[]} */
  const rows = [];
  /** @type {Effort[]} */
  const efforts = [];
  for (const picture of pictures) {
    const bytes = readFileSync(picture.path);
    const { sightings, timings, work } = await reader.read(bytes, { tiles: true, again: true });
    times.push(timings);
    efforts.push({
      ...work,
      totalMs: timings.totalMs,
      isDoubtful: sightings.some(({ views }) => views.length > 2),
      isFound: sightings.length > 0,
    });
    if (!isFull) continue;
    picture.sightings = sightings;
    picture.brightness = (await sharp(bytes).greyscale().stats()).channels[0]?.mean ?? 0;
    const contrasts =
      settings.report === null ? [] : await Promise.all(picture.labels.map((label) => contrastOf(bytes, label)));
    const boxed = settings.boxes ? await reader.readAt(bytes, picture.labels.map(placeOf)) : [];
    /** @type {Set<Sighting>} */
    const matched = new Set();
    for (const [index, label] of picture.labels.entries()) {
      const best = bestOf(sightings, label);
      if (best) matched.add(best);
      const recall = sightings.some((one) => overlap(one.box, label.box) >= 0.5);
      const found = best?.analysis ?? null;
      const crop = boxed[index]?.analysis ?? null;
      rows.push({
        picture,
        label,
        recall,
        sighting: best ?? null,
        found,
        crop: settings.boxes ? crop : undefined,
        contrast: contrasts[index],
        falsePlates: 0,
      });
    }
    const falsePlates = sightings.filter((one) => !matched.has(one) && one.analysis.plate !== null).length;
    const last = rows.at(-1);
    if (last !== undefined) last.falsePlates = falsePlates;
  }
  return { times, rows, efforts };
}

/** @param {Buffer} bytes @param {Label} label */
async function contrastOf(bytes, { box: [x1, y1, x2, y2] }) {
  const region = {
    left: Math.floor(x1),
    top: Math.floor(y1),
    width: Math.max(1, Math.floor(x2 - x1)),
    height: Math.max(1, Math.floor(y2 - y1)),
  };
  const part = await sharp(bytes).extract(region).greyscale().raw().toBuffer();
  const mean = part.reduce((sum, value) => sum + value, 0) / part.length;
  return Math.sqrt(part.reduce((sum, value) => sum + (value - mean) ** 2, 0) / part.length);
}

/** @param {Label} label @returns {import("../../src/features/recognition/candidates.ts").Candidate} */
function placeOf({ box: [x1, y1, x2, y2], twoLine }) {
  return {
    score: 1,
    box: [x1, y1, x2, y2],
    corners: [
      [x1, y1],
      [x2, y1],
      [x2, y2],
      [x1, y2],
    ],
    twoLine,
  };
}

/** The detection that is taken for the label. @param {readonly Sighting[]} sightings @param {Label} label */
function bestOf(sightings, label) {
  return sightings
    .map((one) => ({ one, iou: overlap(one.box, label.box) }))
    .filter(({ iou }) => iou >= 0.3)
    .sort((a, b) => b.one.score - a.one.score)[0]?.one;
}

/**
 * The pipeline on one 1920 x 1080 frame with a plate in it.
 * @param {Reader} reader
 * @param {Picture[]} pictures
 * @param {number} threads
 */
async function timeFullHd(reader, pictures, threads) {
  const source = pictures.find(({ labels }) => labels.length === 1);
  if (!source) return;
  const frame = await sharp(source.path).resize(1920, 1080, { fit: "cover" }).jpeg({ quality: 85 }).toBuffer();
  /** @type {number[]} */
  const times = [];
  for (let i = 0; i < 25; i++) times.push((await reader.read(frame, { tiles: false, again: true })).timings.totalMs);
  times.splice(0, 5);
  times.sort((a, b) => a - b);
  console.log(
    `${threads} thread${threads > 1 ? "s" : ""}: 1080p JPEG to text p50 ${times[10]?.toFixed(1)} ms, best ${times[0]?.toFixed(1)} ms`,
  );
}

/**
 * Plates that are recognised where none is labelled; those at places in plates.csv, where a person saw a plate that the
 * labels lack, are counted separately (models/training/plateless.py).
 * @param {Reader} reader @param {string} folder
 */
async function measurePlateless(reader, folder) {
  const files = listPictures(folder);
  const seen = existsSync(join(folder, "plates.csv")) ? readTable(join(folder, "plates.csv")) : [];
  let [plates, unlabelled, boxes] = [0, 0, 0];
  for (const file of files) {
    const { sightings } = await reader.read(readFileSync(file), { tiles: true, again: true });
    boxes += sightings.length;
    const places = seen.filter((place) => place.file === relative(folder, file)).map(boxOf);
    for (const { analysis, box } of sightings) {
      if (analysis.plate === null) continue;
      plates += 1;
      if (places.some((place) => overlap(place, box) >= 0.3)) unlabelled += 1;
    }
  }
  const per100 = (/** @type {number} */ count) => ((100 * count) / files.length).toFixed(1);
  const found = {
    pictures: files.length,
    falsePer100: per100(plates),
    unlabelled,
    falsePer100ByEye: per100(plates - unlabelled),
    boxesPer100: per100(boxes),
  };
  console.log(
    `plateless, ${found.pictures} pictures: ${found.falsePer100} false plates per 100 by the labels, ${found.falsePer100ByEye} without ${unlabelled} at plates that nobody labelled; ${found.boxesPer100} boxes`,
  );
  return found;
}

/** @param {string} folder @returns {string[]} */
function listPictures(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listPictures(path) : /\.(jpe?g|png|webp)$/i.test(name) ? [path] : [];
  });
}

/**
 * Crops of the labelled plates that were missed, with label, reading and confidence under each.
 * @param {Row[]} rows
 * @param {string} folder
 */
async function drawSheet(rows, folder) {
  mkdirSync(folder, { recursive: true });
  const missed = rows.filter(({ found, label }) => !isExact(found, label)).slice(0, 240);
  const [columns, width, height] = [6, 260, 140];
  const cells = await Promise.all(
    missed.map(async ({ picture, label: { box, text }, found, recall }, index) => {
      const [x1, y1, x2, y2] = box;
      const { width: w, height: h } = await sharp(picture.path).metadata();
      const margin = (x2 - x1) * 0.3;
      const left = Math.max(0, Math.floor(x1 - margin));
      const top = Math.max(0, Math.floor(y1 - margin));
      const region = {
        left,
        top,
        width: Math.min(w - left, Math.ceil(x2 - x1 + 2 * margin)),
        height: Math.min(h - top, Math.ceil(y2 - y1 + 2 * margin)),
      };
      const crop = await sharp(picture.path)
        .extract(region)
        .resize(width, height - 40, { fit: "contain" })
        .png()
        .toBuffer();
      const caption = `<svg width="${width}" height="40"><rect width="100%" height="100%" fill="white"/><text x="4" y="16" font-size="14" font-family="monospace">${text}</text><text x="4" y="34" font-size="14" font-family="monospace" fill="${recall ? "black" : "red"}">${found?.text ?? "not found"} ${found?.confidence ?? ""}</text></svg>`;
      const at = { left: (index % columns) * width, top: Math.floor(index / columns) * height };
      return [
        { input: crop, ...at },
        { input: Buffer.from(caption), left: at.left, top: at.top + height - 40 },
      ];
    }),
  );
  const file = join(folder, "anpr-misses.png");
  const size = { width: columns * width, height: Math.max(1, Math.ceil(missed.length / columns)) * height };
  await sharp({ create: { ...size, channels: 3, background: "white" } })
    .composite(cells.flat())
    .png()
    .toFile(file);
  console.log(`misses: ${file}`);
}

/** @param {Picture[]} pictures */
function baselineTesseract(pictures) {
  try {
    execFileSync("tesseract", ["--version"], { stdio: "ignore" });
  } catch {
    console.log("baseline tesseract: not installed here");
    return;
  }
  const labelled = pictures.flatMap(({ path, labels }) => labels.map((label) => ({ path, label }))).slice(0, 100);
  let right = 0;
  for (const { path, label } of labelled) {
    const [x1, y1, x2, y2] = label.box;
    const crop = execFileSync(
      process.execPath,
      [
        "-e",
        `require("sharp")(${JSON.stringify(path)}).extract({left:${Math.floor(x1)},top:${Math.floor(y1)},width:${Math.ceil(x2 - x1)},height:${Math.ceil(y2 - y1)}}).resize({width:400}).png().toBuffer().then(b=>process.stdout.write(b))`,
      ],
      { cwd: root, maxBuffer: 1e8 },
    );
    const text = execFileSync("tesseract", ["-", "-", "--psm", label.twoLine ? "6" : "7"], {
      input: crop,
      stdio: ["pipe", "pipe", "ignore"],
    }).toString();
    if (fold(text.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")) === fold(label.text)) right += 1;
  }
  console.log(`baseline tesseract on ${labelled.length} labelled boxes: ${(right / labelled.length).toFixed(3)} exact`);
}
