import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { compileCache } from "./hub-process.ts";

/** A Matter device in a process of its own (matter-device-process.ts). */
export interface MatterDevice {
  readonly manual: string;
  readonly qr: string;
  readonly port: number;
  /** Changes its state or measurements; returns its endpoint's state. */
  tell(order: object): Promise<Record<string, Record<string, unknown>>>;
  /** The number of its controllers. */
  fabrics(): Promise<number>;
  kill(): Promise<void>;
}

/** Options with which a device starts. */
export interface MatterDeviceOptions {
  readonly kind: string;
  /** Its memory: a device restarted on it is the same one. */
  readonly folder: string;
  readonly discriminator: number;
  /** UDP port; a free one by default. */
  readonly port?: number;
}

/** Starts a device and waits until it can be found. */
export async function startMatterDevice({
  kind,
  folder,
  discriminator,
  port = 0,
}: MatterDeviceOptions): Promise<MatterDevice> {
  const child = fork(join(import.meta.dirname, "matter-device-process.ts"), [], {
    env: {
      PATH: process.env.PATH ?? "",
      ...compileCache,
      MATTER_DEVICE_KIND: kind,
      MATTER_DEVICE_FOLDER: folder,
      MATTER_DEVICE_DISCRIMINATOR: String(discriminator),
      MATTER_DEVICE_PORT: String(port),
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const { ready } = await next<{ ready: { manual: string; qr: string; port: number } }>(child, "ready");
  const ask = (order: object): Promise<{ state: Record<string, Record<string, unknown>>; fabrics: number }> => {
    const done = next<{ state: Record<string, Record<string, unknown>>; fabrics: number }>(child, "done");
    child.send({ get: true, ...order });
    return done;
  };
  return {
    ...ready,
    tell: async (order) => (await ask(order)).state,
    fabrics: async () => (await ask({})).fabrics,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function next<Message extends object>(child: ChildProcess, member: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const take = (message: unknown): void => {
      if (typeof message !== "object" || message === null || !(member in message)) return;
      child.off("message", take);
      child.off("exit", ended);
      resolve(message as Message); // its own program reports it
    };
    const ended = (code: number | null): void => reject(new Error(`the Matter device ended with ${code}`));
    child.on("message", take);
    child.once("exit", ended);
  });
}
