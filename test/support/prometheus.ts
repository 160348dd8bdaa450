import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { freePort } from "./nats.ts";

/** Why tests with Debian's Prometheus are skipped; false if it is installed. */
export const NO_PROMETHEUS =
  spawnSync("prometheus", ["--version"]).error === undefined
    ? false
    : "prometheus is not installed (Debian: prometheus)";

/** Debian's Prometheus. It scrapes its configured targets some five seconds after its start. */
export class Prometheus {
  readonly #port: number;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = folder;
  }

  /** Starts one with a configuration; `${FOLDER}` in it is its folder, which contains `files`. */
  static async start(t: Test, config: string, files: Readonly<Record<string, string>>): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
    const prometheus = new Prometheus(await freePort(), folder);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    writeFileSync(join(folder, "prometheus.yml"), config);
    t.teardown(async () => {
      await prometheus.#kill();
      rmSync(folder, { recursive: true, force: true });
    });
    await prometheus.#start();
    return prometheus;
  }

  async #start(): Promise<void> {
    const child = spawn(
      "prometheus",
      [
        `--config.file=${join(this.#folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(this.#folder, "data")}`,
        `--web.listen-address=127.0.0.1:${this.#port}`,
      ],
      { cwd: this.#folder, stdio: "ignore" },
    );
    this.#child = child;
    const deadline = Date.now() + 20_000;
    for (;;) {
      const isThere = await fetch(`http://127.0.0.1:${this.#port}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isThere) return;
      if (child.exitCode !== null || Date.now() > deadline) throw new Error("prometheus did not start");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  /** The current value of an expression: labels and value of each series. */
  async query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data } = (await answer.json()) as {
      data: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }
}
