import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { freePort } from "./nats.ts";

/** Why tests with Debian's InfluxDB are skipped; false if it is installed. */
export const NO_INFLUX =
  spawnSync("influxd", ["version"]).error === undefined ? false : "influxd is not installed (Debian: influxdb)";

const NAME = "house";
const USER = "hub";
const PASSWORD = "pass,word = \\1";

/** One point in the database. */
export type Point = Readonly<Record<string, string | number | boolean | null>>;

/** Debian's InfluxDB with a database and a user; it can be killed and started again on the same files. */
export class Influx {
  readonly port: number;
  readonly database = NAME;
  readonly user = USER;
  readonly password = PASSWORD;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  /** Starts one that keeps everything until the test is over. */
  static async start(t: Test): Promise<Influx> {
    const folder = mkdtempSync(join(tmpdir(), "influx-"));
    const influx = new Influx(await freePort(), folder);
    const rpc = await freePort();
    const place = (name: string): string => JSON.stringify(join(folder, name));
    writeFileSync(
      join(folder, "influxdb.conf"),
      `reporting-disabled = true
bind-address = "127.0.0.1:${rpc}"
[meta]
dir = ${place("meta")}
[data]
dir = ${place("data")}
wal-dir = ${place("wal")}
query-log-enabled = false
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:${influx.port}"
auth-enabled = true
log-enabled = false
`,
    );
    t.teardown(async () => {
      await influx.kill();
      rmSync(folder, { recursive: true, force: true });
    });
    await influx.start();
    await influx.query(`CREATE USER ${USER} WITH PASSWORD '${PASSWORD.replaceAll("\\", "\\\\")}' WITH ALL PRIVILEGES`);
    await influx.query(`CREATE DATABASE ${NAME}`);
    return influx;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it (again); resolves once it answers. */
  async start(): Promise<void> {
    const child = spawn("influxd", ["-config", join(this.#folder, "influxdb.conf")], { stdio: "ignore" });
    this.#child = child;
    const deadline = Date.now() + 20_000;
    for (;;) {
      const isThere = await fetch(`${this.url}/ping`).then(
        ({ status }) => status === 204,
        () => false,
      );
      if (isThere) return;
      if (child.exitCode !== null || Date.now() > deadline) throw new Error("influxd did not start");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Kills it. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  /** Writes lines as another program would. */
  async write(lines: string): Promise<number> {
    const headers = { Authorization: this.#authorization };
    return (await fetch(`${this.url}/write?db=${NAME}`, { method: "POST", headers, body: lines })).status;
  }

  /** The result of an InfluxQL query, a row for each point; times as digits of nanoseconds. */
  async query(text: string): Promise<Point[]> {
    const answer = await fetch(`${this.url}/query?db=${NAME}&epoch=ns&q=${encodeURIComponent(text)}`, {
      method: "POST",
      headers: { Authorization: this.#authorization },
    });
    // its times have more digits than a number of JavaScript
    const body = (await answer.text()).replace(/\[(\d{19}),/g, '["$1",');
    const { results, error } = JSON.parse(body) as {
      error?: string;
      results?: { error?: string; series?: { columns: string[]; values: (string | number | boolean | null)[][] }[] }[];
    };
    const [result] = results ?? [];
    if (error !== undefined || result?.error !== undefined) throw new Error(error ?? result?.error);
    return (result?.series ?? []).flatMap(({ columns, values }) =>
      values.map((row) => Object.fromEntries(columns.map((name, place) => [name, row[place] ?? null]))),
    );
  }

  get #authorization(): string {
    return `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString("base64")}`;
  }
}
