import type { Clock } from "../../core/kernel/clock.ts";
import { bodyRefused, type Problem } from "../../core/kernel/problem.ts";
import { refusedUrl, type TargetPolicy } from "../../core/kernel/target.ts";
import type { Database } from "../../core/storage/database.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { InfluxTarget } from "./influx.ts";
import { SeriesTable, type SeriesTargetRow } from "./tables/series.ts";

/** An owner's settings. */
export interface SeriesSettings {
  readonly influx: (InfluxTarget & { readonly enabled: boolean; readonly home: string }) | null;
  /** Samples up to this time (epoch ms) are not sent, for devices without any sent sample. */
  readonly beginsAt: number;
  /** Whether a scraper may read the household's values. */
  readonly prometheus: boolean;
  /** Ids of devices that neither receives anything about. */
  readonly leftOut: readonly string[];
}

/** InfluxDB as an owner sets it up. `secret`: absent = as before, null = none. */
export interface InfluxEdit extends InfluxTarget {
  readonly enabled: boolean;
  /** Tag of every point: which home it is. */
  readonly home: string;
  readonly secret?: string | null | undefined;
  /** Where sending begins: with new samples, with everything still kept, or after what was sent last. */
  readonly begin: "now" | "kept" | "resume";
}

/** Seals secrets at rest, as the hub's key does. */
interface SecretBox {
  seal(plain: Buffer, context: string): Buffer;
  open(sealed: Buffer, context: string): Buffer;
}

const NOTHING: SeriesSettings = { influx: null, beginsAt: 0, prometheus: false, leftOut: [] };
/** The characters that a request header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;
const CONTEXT = "long-term series";

/** Whether and where long-term series are sent. Everything is off until an owner switches it on. */
export class SeriesSetup {
  readonly #options: ConstructorParameters<typeof SeriesSetup>[0];
  readonly #sql: SeriesTable;
  #settings = NOTHING;
  #sealed: Buffer | null = null;

  constructor(options: {
    readonly database: Database;
    readonly secrets: SecretBox;
    readonly targets: TargetPolicy;
    readonly clock: Pick<Clock, "now">;
  }) {
    this.#options = options;
    this.#sql = new SeriesTable(options.database);
  }

  /** Reads the settings; the database is open. */
  start(): void {
    const row = this.#sql.target();
    this.#settings = settingsIn(row);
    this.#sealed = row?.secret ?? null;
  }

  get settings(): SeriesSettings {
    return this.#settings;
  }

  get hasSecret(): boolean {
    return this.#sealed !== null;
  }

  /** The password or token; null: none. @throws Problem `unavailable` when the hub's key cannot open it */
  secret(): string | null {
    return this.#sealed === null ? null : this.#options.secrets.open(this.#sealed, CONTEXT).toString();
  }

  /**
   * Sets InfluxDB up. `startsOver` and `beside` write in the same transaction.
   * @throws Problem `invalid_body`
   */
  async putInflux(
    edit: InfluxEdit,
    startsOver: (beginsAt: number) => void,
    beside: () => void = () => {},
  ): Promise<void> {
    const { secret, begin, ...influx } = edit;
    this.#check(edit);
    await this.#put(({ influx: before, beginsAt: begun }, stored) => {
      const isMoved = before !== null && before.url !== influx.url;
      // A secret belongs to the server that it was given for.
      if (isMoved && stored !== null && secret === undefined)
        throw invalid("/secret", { code: "refusal.secretOfOther" });
      const given = secret == null ? null : this.#options.secrets.seal(Buffer.from(secret), CONTEXT);
      const sealed = secret === undefined ? stored : given;
      if (edit.version === "2" && sealed === null) throw invalid("/secret", { code: "refusal.series.tokenNeeded" });
      const beginsAt = begin === "now" ? this.#options.clock.now() : begin === "kept" ? 0 : begun;
      if (begin !== "resume") startsOver(beginsAt);
      beside();
      return { influx, beginsAt, sealed };
    });
  }

  /** Allows or forbids scrapers with the right scope to read the household's values. */
  async putPrometheus(enabled: boolean, beside: () => void = () => {}): Promise<void> {
    await this.#put(() => {
      beside();
      return { prometheus: enabled };
    });
  }

  /** Chooses the devices that are left out. `beside` resets, in the same transaction, what starts over. */
  async putLeftOut(leftOut: readonly string[], beside: () => void): Promise<void> {
    await this.#put(() => {
      beside();
      return { leftOut: [...new Set(leftOut)] };
    });
  }

  #check({ version, url, user, database, org, bucket, secret }: InfluxEdit): void {
    const refused = refusedUrl(url, this.#options.targets);
    if (refused !== null) throw invalid("/url", { code: "refusal.address", why: refused });
    const { search, hash } = new URL(url);
    if (search !== "" || hash !== "") throw invalid("/url", { code: "refusal.series.question" });
    // Basic authentication ends the user name at the first colon (RFC 7617 §2)
    if (version === "1" && user.includes(":")) throw invalid("/user", { code: "refusal.series.colon" });
    if (version === "1" && database === "") throw invalid("/database", { code: "refusal.series.database" });
    if (version === "2" && bucket === "") throw invalid("/bucket", { code: "refusal.series.bucket" });
    if (version === "2" && org === "") throw invalid("/org", { code: "refusal.series.org" });
    if (version === "2" && secret != null && !TOKEN.test(secret))
      throw invalid("/secret", { code: "refusal.series.token" });
  }

  /**
   * `editOf` is called in the write job with the row as stored at that time, which an earlier job may have changed.
   * Absent members stay as they are; if it throws, nothing is written.
   */
  async #put(
    editOf: (settings: SeriesSettings, sealed: Buffer | null) => Partial<SeriesSettings> & { sealed?: Buffer | null },
  ): Promise<void> {
    const { database } = this.#options;
    await database.write(() => {
      const row = this.#sql.target();
      const before = settingsIn(row);
      const { sealed = row?.secret ?? null, ...change } = editOf(before, row?.secret ?? null);
      const settings = { ...before, ...change };
      this.#sql.putTarget({ settings: JSON.stringify(settings), secret: sealed });
      database.committed(() => {
        this.#settings = settings;
        this.#sealed = sealed;
      });
    });
  }
}

function settingsIn(row: SeriesTargetRow | null): SeriesSettings {
  return { ...NOTHING, ...storedJson<Partial<SeriesSettings>>(row?.settings ?? "{}", {}) };
}

function invalid(field: string, words: Detail): Problem {
  return bodyRefused(field, "refused", words);
}
