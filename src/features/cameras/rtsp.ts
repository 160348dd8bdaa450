import { type ChildProcess, spawn } from "node:child_process";
import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Detail } from "../../core/text/keys.ts";
import { FrameSplitter } from "./frame-splitter.ts";

const RETRY_FIRST_MS = 2_000;
const RETRY_MOST_MS = 60_000;
/** A stream that delivers no picture for this long is taken for dead. */
const SILENCE_MS = 20_000;
const KEPT_ERROR_CHARACTERS = 500;
/**
 * A camera decides how much memory its stream takes to decode: a few kilobytes can take gigabytes, an honest 4K stream
 * takes 300 MB. Where memory ends, ffmpeg is the process that has to go (1000, by `OOMPolicy=continue` alone), and it
 * never gets more than this many KiB.
 */
const MOST_KIB = 1_000_000;
/** Each thread holds pictures of its own: with one for each of sixteen cores, a 4K stream takes twice as much. */
const THREADS = "4";
const BOUNDED = `echo 1000 >/proc/self/oom_score_adj 2>/dev/null; ulimit -d ${MOST_KIB}; exec "$0" "$@"`;

/** Pictures of an RTSP camera, decoded by an ffmpeg process that is restarted with growing pauses when it ends. */
export class RtspStream {
  readonly #options: ConstructorParameters<typeof RtspStream>[0];
  #process: ChildProcess | null = null;
  #timer: Timer | null = null;
  #isOpen = false;
  #retryMs = RETRY_FIRST_MS;
  #lastFrameMono = 0;

  constructor(options: {
    readonly url: string;
    /** Pictures per second taken from the stream. */
    readonly framesPerSecond: number;
    readonly maxFrameBytes: number;
    /** Path of ffmpeg. */
    readonly ffmpeg: string;
    /** Called for every picture. */
    readonly onFrame: (jpeg: Uint8Array) => void;
    /** Called once each time the stream breaks; the reason is for the owner. */
    readonly onTrouble: (reason: string | Detail) => void;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  open(): void {
    this.#isOpen = true;
    this.#run();
  }

  /** Ends the process; resolves when it is gone. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#timer?.stop();
    const process = this.#process;
    if (process === null || process.exitCode !== null || process.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => process.once("close", () => resolve()));
    process.kill("SIGKILL");
    await gone;
  }

  #run(): void {
    const { ffmpeg, clock } = this.#options;
    let said = "";
    const bounded = ["-c", BOUNDED, ffmpeg, ...this.#arguments()];
    const child = spawn("/bin/sh", bounded, { stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.on("error", () => undefined); // it ended before it had read everything
    child.stdin.end(playlist(this.#options.url));
    this.#process = child;
    this.#lastFrameMono = clock.mono();
    const splitter = new FrameSplitter(this.#options.maxFrameBytes * 2);
    child.stdout.on("data", (chunk: Buffer) => {
      for (const frame of splitter.push(chunk)) this.#take(frame);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-KEPT_ERROR_CHARACTERS);
    });
    child.on("error", (error) => this.#ended(child, error.message));
    child.on("close", () => this.#ended(child, said.trim().split("\n").at(-1) ?? ""));
    this.#watch(child);
  }

  #arguments(): string[] {
    const { url, framesPerSecond } = this.#options;
    // A process's arguments can be read by everybody on the machine: the address, with the camera's password, goes
    // through a pipe.
    const allowed = isRtsp(url) ? "pipe,fd,rtsp,rtsps,rtp,udp,tcp,tls,crypto" : "pipe,fd,file";
    const input = [
      "-threads",
      THREADS,
      ...(isRtsp(url) ? [] : ["-re"]),
      "-f",
      "concat",
      "-safe",
      "0",
      "-protocol_whitelist",
      allowed,
      "-i",
      "pipe:0",
    ];
    const filter = `fps=${framesPerSecond}`;
    return [
      "-hide_banner",
      "-loglevel",
      "error",
      ...input,
      "-an",
      "-vf",
      filter,
      "-c:v",
      "mjpeg",
      "-q:v",
      "4",
      "-f",
      "image2pipe",
      "-",
    ];
  }

  #take(frame: Uint8Array): void {
    this.#lastFrameMono = this.#options.clock.mono();
    this.#retryMs = RETRY_FIRST_MS;
    if (frame.length <= this.#options.maxFrameBytes) this.#options.onFrame(frame);
  }

  #watch(child: ChildProcess): void {
    this.#timer?.stop();
    this.#timer = this.#options.clock.after(SILENCE_MS, () => {
      if (this.#process !== child) return;
      if (this.#options.clock.mono() - this.#lastFrameMono >= SILENCE_MS) child.kill("SIGKILL");
      else this.#watch(child);
    });
  }

  #ended(child: ChildProcess, why: string): void {
    if (this.#process !== child) return;
    this.#process = null;
    this.#timer?.stop();
    if (!this.#isOpen) return;
    const { url, onTrouble, clock, logger } = this.#options;
    // the address carries the camera's password
    const lastLine = why.replaceAll(url, "the stream").replaceAll(/\S+@\S+/g, "the stream");
    logger.warn({ retryMs: this.#retryMs, said: lastLine }, "a camera stream ended");
    onTrouble(lastLine === "" ? { code: "camera.streamEnded" } : lastLine);
    this.#timer = clock.after(this.#retryMs, () => this.#run());
    this.#retryMs = Math.min(RETRY_MOST_MS, this.#retryMs * 2);
  }
}

function isRtsp(url: string): boolean {
  return url.startsWith("rtsp");
}

/** What ffmpeg plays, in the form in which it reads it from a pipe. */
function playlist(url: string): string {
  const quoted = url.replaceAll(/[\r\n]/g, "").replaceAll("'", "'\\''");
  return isRtsp(url)
    ? `ffconcat version 1.0\nfile '${quoted}'\noption rtsp_transport tcp\n`
    : `ffconcat version 1.0\nfile 'file:${quoted}'\n`;
}
