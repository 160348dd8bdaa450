/**
 * Sends the household's samples to a database of the owner's choice, in InfluxDB's line protocol, and after an outage
 * resumes where it stopped. In: stored and live telemetry. Out: batches over HTTP, one at a time; its progress. It
 * stores only a mark for each device ({@link SeriesMarks}). It reads in small slices and at a bounded rate: the hub's
 * own work comes first. Must never know how samples arrived, or what they mean.
 */

import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Poster } from "../../core/kernel/post.ts";
import type { QuietWrites } from "../../core/kernel/quiet-writes.ts";
import type { Service } from "../../core/kernel/service.ts";
import { Slices } from "../../core/kernel/slices.ts";
import type { TargetPolicy } from "../../core/kernel/target.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { type Written, writeLines } from "./influx.ts";
import { type DeviceLabels, deviceLine, type Series, sampleLine } from "./line-protocol.ts";
import type { SeriesMarks } from "./marks.ts";
import type { SeriesSetup } from "./setup.ts";

/** A device of the household. */
export interface SeriesDevice extends DeviceLabels {
  readonly id: string;
}

/** What {@link SeriesExport} works with. */
export interface SeriesExportOptions {
  readonly database: Database;
  readonly setup: SeriesSetup;
  readonly marks: SeriesMarks;
  /** The devices of the live household. */
  readonly devices: () => readonly SeriesDevice[];
  readonly telemetry: Pick<Telemetry, "oldestFirst">;
  /** While the time is unknown, samples have no lasting time. */
  readonly clockTrusted: () => boolean;
  readonly targets: TargetPolicy;
  readonly clock: Clock;
  readonly quietWrites: Pick<QuietWrites, "add">;
  readonly logger: Logger;
  readonly random: () => number;
  /** How often it looks for new samples; default: every ten seconds. */
  readonly everyMs?: number;
  /** Most samples per second, averaged over a batch; default 2,000. */
  readonly samplesPerSecond?: number;
}

/** The state of the export. Times are epoch ms. */
export interface ExportState {
  readonly state: "off" | "clock" | "sending" | "catchingUp" | "waiting";
  readonly lastSentAt: number | null;
  /** Samples delivered since the hub started. */
  readonly sent: number;
  /** Points that the server refused, since the hub started. */
  readonly refused: number;
  /** The oldest sample that has not been delivered yet; null: all have. */
  readonly oldestWaiting: number | null;
  /** Why it waits, or what was refused last. */
  readonly problem: Detail | null;
  readonly nextTryAt: number | null;
}

interface Batch {
  readonly lines: readonly string[];
  readonly samples: number;
  /** Device → end of the samples read. */
  readonly upTo: ReadonlyMap<string, number>;
  readonly oldest: number | null;
}

const LOOK_MS = 10_000;
const SAMPLES_PER_SECOND = 2_000;
const SAMPLES_AT_ONCE = 250;
const BATCH_SAMPLES = 5_000;
const BATCH_CHARS = 2_000_000;
/** Samples of the last moments may still be on their way into the journal. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
const NAMES_EVERY_MS = 86_400_000;
const ANSWER_MS = 30_000;
const KEPT_BYTES = 2_000;

/** See the head of the file. */
export class SeriesExport implements Service {
  readonly name = "long-term series";
  readonly #options: SeriesExportOptions;
  readonly #poster: Poster;
  #ended = new AbortController();
  #running: Promise<void> | null = null;
  #wake: (() => void) | null = null;
  #figures: Omit<ExportState, "state"> = {
    lastSentAt: null,
    sent: 0,
    refused: 0,
    oldestWaiting: null,
    problem: null,
    nextTryAt: null,
  };
  #state: ExportState["state"] = "off";
  #storing: Timer | null = null;
  #named = { text: "", mono: Number.NEGATIVE_INFINITY };
  /** Names of fields, by device. */
  readonly #fields = new Map<string, Set<string>>();
  /** Increases with each change of the settings: samples read before it are not sent with the new ones. */
  #version = 0;
  /** How many callers are changing something. */
  #held = 0;

  constructor(options: SeriesExportOptions) {
    this.#options = options;
    this.#poster = new Poster({ targets: options.targets, timeoutMs: ANSWER_MS, keepBytes: KEPT_BYTES });
  }

  get state(): ExportState {
    return { state: this.#state, ...this.#figures };
  }

  async start(): Promise<void> {
    this.#ended = new AbortController();
    this.#storing = this.#options.quietWrites.add(() => void this.#store());
    this.#lookEverywhere();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#storing?.stop();
    this.#ended.abort();
    this.#wake?.();
    await this.#running;
    this.#poster.close();
    await this.#store();
  }

  /** Changes the settings while nothing is being sent; the new ones are tried at once. @throws the errors of `work` */
  async change<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#held += 1;
    this.#version += 1;
    try {
      return await work();
    } finally {
      this.#held -= 1;
      this.#named = { text: "", mono: Number.NEGATIVE_INFINITY };
      this.#figures = { ...this.#figures, problem: null, nextTryAt: null, oldestWaiting: null };
      this.#lookEverywhere();
      this.#wake?.();
    }
  }

  /** Sends nothing while `work` moves recorded samples from `fromMs` on (epoch ms). @throws what `work` throws */
  whileMoved<Result>(fromMs: number, work: () => Promise<Result>): Promise<Result> {
    const { marks, database } = this.#options;
    const goBack = (): Promise<void> => database.write(() => marks.goBackTo(fromMs));
    return this.change(async () => {
      await goBack(); // in case the hub ends meanwhile
      try {
        return await work();
      } finally {
        await goBack();
      }
    });
  }

  #lookEverywhere(): void {
    for (const { id } of this.#options.devices()) this.#options.marks.look(id);
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#ended.signal.aborted) {
      const waitMs = await this.#step(failures).catch((error: unknown) => {
        this.#options.logger.error({ err: error }, "long-term series could not be read; tried again later");
        this.#lookEverywhere();
        return null;
      });
      failures = waitMs === null ? failures + 1 : 0;
      const pause = waitMs ?? this.#backOff(failures);
      if (this.#state === "waiting") this.#figures = { ...this.#figures, nextTryAt: this.#options.clock.now() + pause };
      await this.#wait(pause);
    }
  }

  /** Sends one batch. Returns how long to wait for the next; null: it failed, and the wait grows with each failure. */
  async #step(failures: number): Promise<number | null> {
    const { setup, clock } = this.#options;
    const { influx } = setup.settings;
    if (influx === null || !influx.enabled) return this.#idle("off");
    if (this.#held > 0) return this.#lookMs;
    if (!this.#options.clockTrusted()) return this.#idle("clock");
    const version = this.#version;
    const begun = clock.mono();
    const batch = await this.#collect(influx.home);
    if (version !== this.#version) return this.#setAside(batch);
    if (batch.lines.length === 0) {
      for (const [deviceId, upTo] of batch.upTo) this.#options.marks.sent(deviceId, upTo);
      this.#state = "sending";
      this.#figures = { ...this.#figures, oldestWaiting: null, nextTryAt: null };
      return batch.upTo.size > 0 ? 0 : this.#lookMs;
    }
    const outcome = await this.#deliver(batch.lines);
    if (version !== this.#version || this.#ended.signal.aborted) return this.#setAside(batch);
    if (outcome.result === "later") {
      this.#setAside(batch);
      const { oldestWaiting } = this.#figures;
      const oldest = Math.min(batch.oldest ?? clock.now(), oldestWaiting ?? Number.POSITIVE_INFINITY);
      this.#figures = { ...this.#figures, problem: outcome.words, oldestWaiting: oldest };
      if (failures === 0)
        this.#options.logger.warn({ reason: outcome.words }, "long-term series wait for their server");
      this.#state = "waiting";
      this.#named = { text: "", mono: Number.NEGATIVE_INFINITY };
      return outcome.afterMs;
    }
    return this.#taken(batch, clock.mono() - begun);
  }

  /** Discards a batch: it is read again, and none of it counts as sent. */
  #setAside({ upTo }: Batch): number {
    for (const deviceId of upTo.keys()) this.#options.marks.look(deviceId);
    return 0;
  }

  #taken(batch: Batch, tookMs: number): number {
    const { marks, clock } = this.#options;
    for (const [deviceId, upTo] of batch.upTo) marks.sent(deviceId, upTo);
    const isMore = batch.samples >= BATCH_SAMPLES || marks.waiting.size > 0;
    const first = [...batch.upTo.values()].reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
    this.#figures = {
      ...this.#figures,
      lastSentAt: clock.now(),
      sent: this.#figures.sent + batch.samples,
      oldestWaiting: isMore && Number.isFinite(first) ? first : null,
      nextTryAt: null,
    };
    this.#state = isMore ? "catchingUp" : "sending";
    if (!isMore) return this.#lookMs;
    const share = (batch.samples / (this.#options.samplesPerSecond ?? SAMPLES_PER_SECOND)) * 1_000;
    return Math.max(0, share - tookMs);
  }

  get #lookMs(): number {
    return this.#options.everyMs ?? LOOK_MS;
  }

  #idle(state: "off" | "clock"): number {
    this.#state = state;
    return this.#lookMs;
  }

  /** Reads samples after the marks, some of each device in turn. */
  async #collect(home: string): Promise<Batch> {
    const { marks, setup, devices, telemetry, clock } = this.#options;
    const leftOut = new Set(setup.settings.leftOut);
    const exported = devices().filter(({ id }) => !leftOut.has(id));
    const ids = new Set(exported.map(({ id }) => id));
    const slices = new Slices();
    const lines: string[] = [];
    const upTo = new Map<string, number>();
    let [samples, chars] = [0, 0];
    let oldest: number | null = null;
    const queue = [...marks.waiting];
    for (const deviceId of queue) if (!ids.has(deviceId)) marks.exhausted(deviceId);
    const turns = queue.filter((deviceId) => ids.has(deviceId));
    for (const deviceId of turns) marks.reading(deviceId);
    for (let deviceId = turns.shift(); deviceId !== undefined; deviceId = turns.shift()) {
      if (samples >= BATCH_SAMPLES || chars >= BATCH_CHARS) break;
      const afterMs = upTo.get(deviceId) ?? marks.of(deviceId);
      const found = telemetry.oldestFirst(deviceId, { afterMs, toMs: Number.MAX_SAFE_INTEGER, limit: SAMPLES_AT_ONCE });
      const last = found.at(-1);
      if (last === undefined) {
        marks.exhausted(deviceId);
        continue;
      }
      oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, found[0]?.at ?? last.at);
      for (const line of linesOf({ home, deviceId, names: this.#namesOf(deviceId) }, found)) {
        lines.push(line);
        chars += line.length;
      }
      samples += found.length;
      upTo.set(deviceId, last.at);
      turns.push(deviceId);
      await slices.next();
    }
    if (lines.length > 0) lines.push(...this.#names(home, exported, clock.now()));
    return { lines, samples, upTo, oldest };
  }

  #namesOf(deviceId: string): Set<string> {
    const names = this.#fields.get(deviceId) ?? new Set();
    this.#fields.set(deviceId, names);
    return names;
  }

  /** The devices' names, when they are new and once a day. */
  #names(home: string, devices: readonly SeriesDevice[], at: number): string[] {
    const mono = this.#options.clock.mono();
    const lines = devices.map((device) => deviceLine({ home, deviceId: device.id }, device, at));
    const text = JSON.stringify(devices.map(({ id, name, room, type }) => [home, id, name, room, type]));
    if (text === this.#named.text && mono - this.#named.mono < NAMES_EVERY_MS) return [];
    this.#named = { text, mono };
    return lines;
  }

  /** Sends lines. Rejected points are found by bisection, so that one bad point takes no other with it. */
  async #deliver(lines: readonly string[]): Promise<Written> {
    const { setup, logger } = this.#options;
    const { influx } = setup.settings;
    if (influx === null) return { result: "taken", refused: 0, words: null };
    let secret: string | null;
    try {
      secret = setup.secret();
    } catch {
      return { result: "later", words: { code: "notify.noSecret" }, afterMs: LONGEST_WAIT_MS };
    }
    const outcome = await writeLines(this.#poster, { ...influx, secret }, lines, this.#ended.signal);
    if (outcome.result === "later") return outcome;
    if (outcome.result === "taken" || lines.length === 1) {
      const refused = outcome.result === "taken" ? outcome.refused : 1;
      if (refused === 0) this.#figures = { ...this.#figures, problem: null };
      else {
        this.#figures = { ...this.#figures, refused: this.#figures.refused + refused, problem: outcome.words };
        logger.warn({ reason: outcome.words, points: refused }, "the server of long-term series refuses points");
      }
      return { result: "taken", refused, words: outcome.words };
    }
    const middle = Math.ceil(lines.length / 2);
    const first = await this.#deliver(lines.slice(0, middle));
    return first.result === "later" ? first : this.#deliver(lines.slice(middle));
  }

  async #store(): Promise<void> {
    const { marks, devices, logger } = this.#options;
    const ids = new Set(devices().map(({ id }) => id));
    for (const id of this.#fields.keys()) if (!ids.has(id)) this.#fields.delete(id);
    try {
      await marks.store((deviceId) => ids.has(deviceId));
    } catch (error) {
      logger.warn({ err: error }, "the progress of long-term series could not be stored; some samples are sent again");
    }
  }

  #backOff(failures: number): number {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 20));
    return longest * (0.5 + this.#options.random() / 2);
  }

  #wait(ms: number): Promise<void> {
    if (this.#ended.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(ms, () => done());
      const done = (): void => {
        timer.stop();
        this.#wake = null;
        resolve();
      };
      this.#wake = done;
    });
  }
}

/** The lines of a device's samples; those with the same time in their order. */
function* linesOf(series: Series, samples: readonly { readonly at: number; readonly data: JsonObject }[]) {
  let before = Number.NaN;
  let order = 0;
  for (const sample of samples) {
    order = sample.at === before ? order + 1 : 0;
    before = sample.at;
    const line = sampleLine(series, sample, order);
    if (line !== null) yield line;
  }
}
