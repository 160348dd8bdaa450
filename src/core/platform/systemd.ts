/**
 * The platform folder holds Linux facts behind small functions: the service manager, disk, memory, time.
 * Nothing here knows what a device or a plate is. This file speaks sd_notify(3) to systemd.
 */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import type { Clock, Timer } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import { moduleTrouble, noteModuleTrouble } from "../kernel/native-modules.ts";

interface DatagramSocket {
  send(message: Buffer, offset: number, length: number, path: string, done?: (error: unknown) => void): void;
  on(event: "error", handler: (error: unknown) => void): void;
  close(): void;
}

interface Addon {
  createSocket(type: "unix_dgram"): DatagramSocket;
}

/**
 * Notifies systemd of READY and STOPPING, and sends the watchdog's keep-alive at half the period, as
 * sd_watchdog_enabled(3) advises. `healthy` is asked before each keep-alive: a hub whose event loop or broker hangs is
 * restarted.
 */
export class SystemdNotifier {
  readonly #options: ConstructorParameters<typeof SystemdNotifier>[0];
  #timer: Timer | null = null;

  constructor(options: {
    /** `NOTIFY_SOCKET`; absent outside systemd: then nothing is sent. */
    readonly notifySocket: string | undefined;
    /** `WATCHDOG_USEC`; absent when the unit has no watchdog. */
    readonly watchdogMicroseconds: string | undefined;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** Reports readiness, and keeps the watchdog fed from now on. */
  ready(status: string, healthy: () => boolean): void {
    this.#send(`READY=1\nSTATUS=${status}`);
    const periodMs = Number(this.#options.watchdogMicroseconds) / 1000;
    if (!(periodMs > 0)) return;
    this.#timer = this.#options.clock.every(periodMs / 2, () => {
      if (healthy()) this.#send("WATCHDOG=1");
      else this.#options.logger.error({}, "not healthy: the watchdog is not fed");
    });
  }

  /** Reports that the stop has begun. */
  stopping(): void {
    this.#timer?.stop();
    this.#send("STOPPING=1");
  }

  #send(message: string): void {
    const path = this.#options.notifySocket;
    if (path === undefined || path === "") return;
    const warn = (error: unknown): void => this.#options.logger.warn({ err: error }, "systemd could not be notified");
    const unix = this.#addon();
    if (unix === null) {
      // systemd eventually kills a hub that does not notify it, whatever it serves.
      execFile("systemd-notify", message.split("\n"), (error) => error !== null && warn(error));
      return;
    }
    try {
      const socket = unix.createSocket("unix_dgram");
      socket.on("error", warn);
      const bytes = Buffer.from(message);
      // "@" names an abstract socket, which the kernel knows by a leading zero byte.
      socket.send(bytes, 0, bytes.length, path.replace(/^@/, "\0"), (error) => {
        if (error) warn(error);
        socket.close();
      });
    } catch (error) {
      warn(error);
    }
  }

  /** Node lacks unix datagram sockets; the addon is loaded only if systemd asks for it. */
  #addon(): Addon | null {
    if (moduleTrouble("unix-dgram") !== null) return null;
    try {
      // the exports of the package: https://www.npmjs.com/package/unix-dgram
      return createRequire(import.meta.url)("unix-dgram") as Addon;
    } catch (error) {
      noteModuleTrouble("unix-dgram", error instanceof Error ? error.message : String(error));
      return null;
    }
  }
}
