import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Test } from "tap";

/** Why tests with Debian's mosquitto are skipped; false if it is installed. */
export const NO_MOSQUITTO =
  spawnSync("mosquitto", ["-h"]).error === undefined ? false : "mosquitto is not installed (Debian: mosquitto)";

/** A free port. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Debian's broker on a port of the loopback interface, with its memory on disk; it can be stopped and restarted. */
export class Mosquitto {
  readonly port: number;
  readonly #configuration: string;
  #child: ChildProcess | null = null;
  #output = "";

  private constructor(port: number, configuration: string) {
    this.port = port;
    this.#configuration = configuration;
  }

  /** Starts one with its files in `folder`. `text`: its configuration; `{port}` and `{folder}` are filled in. */
  static async start(t: Test, folder: string, text = PLAIN): Promise<Mosquitto> {
    const port = await freePort();
    const configuration = join(folder, "mosquitto.conf");
    // As root it would become the user mosquitto, who cannot read the folder.
    writeFileSync(
      configuration,
      `user root\n${text.replaceAll("{port}", String(port)).replaceAll("{folder}", folder)}`,
    );
    const broker = new Mosquitto(port, configuration);
    t.teardown(() => broker.stop("SIGKILL"));
    await broker.start();
    return broker;
  }

  /** Starts it (again). */
  async start(): Promise<void> {
    const child = spawn("mosquitto", ["-c", this.#configuration, "-v"], { stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        text += String(chunk);
        this.#output += String(chunk);
      });
    }
    const deadline = Date.now() + 10_000;
    while (!/ running/.test(text)) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`mosquitto did not start:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** It keeps its connections but stops answering, until it is ended or resumed. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** Resumes after {@link freeze}. */
  goOn(): void {
    this.#child?.kill("SIGCONT");
  }

  /** Ends it; SIGTERM lets it write its data. */
  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  /** What it printed so far. */
  get output(): string {
    return this.#output;
  }
}

const PLAIN = `listener {port} 127.0.0.1
allow_anonymous true
persistence true
persistence_location {folder}/
max_queued_messages 100000
`;
