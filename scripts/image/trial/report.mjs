// @ts-check
/**
 * The table of scripts/image-test.mjs: test, result, duration. Kept in a file beside the card, so that a partial run
 * adds to the rows of earlier runs and shows the run of each row.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/**
 * A row of the trial: `work` returns its finding.
 * @typedef {{ name: string, title: string, aside?: boolean, work(): Promise<string | void> }} Row
 */

/** @typedef {{ title: string, result: string, seconds: number, detail: string, run: string }} Noted */

/** One run's rows on top of what `file` holds of earlier runs of the same image. */
export class Report {
  #file;
  #run;
  #kept;
  #failed = false;

  /** @param {{ file: string, image: string }} options `image`: what is tested; rows of another image are forgotten */
  constructor({ file, image }) {
    this.#file = file;
    this.#run = new Date().toISOString();
    /** @type {{ image: string, rows: Record<string, Noted> } | null} */
    const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
    this.#kept = before?.image === image ? before : { image, rows: {} };
  }

  get failed() {
    return this.#failed;
  }

  /** Runs one row and notes how it went. @returns whether it went well @param {Row} row */
  async row({ name, title, work }) {
    const started = performance.now();
    let result = "ok";
    let detail = "";
    try {
      detail = (await work()) ?? "";
    } catch (error) {
      this.#failed = true;
      result = "FAILED";
      detail =
        String(error instanceof Error ? error.message : error)
          .split("\n")[0]
          ?.slice(0, 240) ?? "";
      console.error(error);
    }
    const seconds = Math.round((performance.now() - started) / 1000);
    this.#kept.rows[name] = { title, result, seconds, detail, run: this.#run };
    writeFileSync(this.#file, `${JSON.stringify(this.#kept, null, 2)}\n`);
    console.log(`${new Date().toISOString().slice(11, 19)} ${title} | ${result} | ${seconds} s | ${detail}`);
    return result === "ok";
  }

  /** The table in the order of `names`, with rows of earlier runs marked. @param {string[]} names */
  table(names) {
    const rows = names.flatMap((name) => this.#kept.rows[name] ?? []);
    const older = rows.filter(({ run }) => run !== this.#run);
    const lines = ["| row | | time | |", "| --- | --- | ---: | --- |"];
    for (const { title, result, seconds, detail, run } of rows) {
      lines.push(
        `| ${title} | ${result} | ${seconds} s | ${detail}${run === this.#run ? "" : ` (run of ${run.slice(0, 16).replace("T", " ")})`} |`,
      );
    }
    const missing = names.filter((name) => this.#kept.rows[name] === undefined);
    if (missing.length > 0) lines.push("", `Not tried yet: ${missing.join(", ")}.`);
    if (older.length > 0)
      lines.push("", `${older.length} of ${rows.length} rows are of earlier runs of the same image.`);
    return lines.join("\n");
  }
}

/**
 * @param {unknown} condition
 * @param {string} what
 * @returns {asserts condition}
 * @throws Error `what` unless `condition` holds
 */
export function check(condition, what) {
  if (!condition) throw new Error(what);
}
