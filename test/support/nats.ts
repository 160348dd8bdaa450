import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";

/** Why tests with Debian's NATS server are skipped; false if it is installed. */
export const NO_NATS =
  spawnSync("nats-server", ["--version"]).error === undefined
    ? false
    : "nats-server is not installed (Debian: nats-server)";

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** The rights at a server: the public keys of users with their rights, and one who may do everything. */
export interface NatsUsers {
  readonly admin: string;
  readonly hubs: readonly {
    readonly key: string;
    readonly publish: readonly string[];
    readonly subscribe: readonly string[];
  }[];
}

/**
 * Debian's NATS server with JetStream on a port of the loopback interface; it can be stopped and restarted on the same
 * files.
 */
export class NatsServer {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  /** Starts one that keeps everything until the test is over. */
  static async start(t: Test, users: NatsUsers): Promise<NatsServer> {
    const folder = mkdtempSync(join(tmpdir(), "nats-"));
    const server = new NatsServer(await freePort(), folder);
    const hubs = users.hubs.map(({ key, publish, subscribe }) => ({
      nkey: key,
      permissions: { publish: { allow: publish }, subscribe: { allow: subscribe } },
    }));
    const settings = {
      listen: `127.0.0.1:${server.port}`,
      jetstream: { store_dir: join(folder, "store"), max_memory_store: 67_108_864, max_file_store: 17_179_869_184 },
      authorization: { users: [{ nkey: users.admin }, ...hubs] },
    };
    // its own format accepts JSON's members
    writeFileSync(join(folder, "nats.conf"), JSON.stringify(settings).slice(1, -1));
    t.teardown(async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    await server.start();
    return server;
  }

  /** Starts one with an existing `nats.conf`. */
  static async inFolder(t: Test, folder: string, port: number): Promise<NatsServer> {
    const server = new NatsServer(port, folder);
    t.teardown(() => server.stop());
    await server.start();
    return server;
  }

  /** Starts it (again). */
  async start(): Promise<void> {
    const child = spawn("nats-server", ["-c", "nats.conf"], { cwd: this.#folder, stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    let text = "";
    child.stderr.on("data", (chunk) => {
      text += String(chunk);
    });
    const deadline = Date.now() + 10_000;
    while (!/Server is ready/.test(text)) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`nats-server did not start:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Kills it. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }
}

/** A connection to a server that can be cut. */
export class Line {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #fromServer = new Set<Socket>();
  #isCut = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Leads to a port of the loopback interface. */
  static async to(t: Test, port: number): Promise<Line> {
    const server = createServer((socket) => {
      if (line.#isCut) {
        socket.destroy();
        return;
      }
      const there = connect(port, "127.0.0.1");
      line.#fromServer.add(there);
      there.on("close", () => line.#fromServer.delete(there));
      for (const [one, other] of [
        [socket, there],
        [there, socket],
      ] as const) {
        line.#sockets.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          line.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    const line = new Line(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => {
      line.cut();
      server.close();
    });
    return line;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Closes existing connections, and accepts no more. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  /** Keeps back what the server says, until the returned function is called; what it is told still reaches it. */
  hold(): () => void {
    for (const socket of this.#fromServer) socket.pause();
    return () => {
      for (const socket of this.#fromServer) socket.resume();
    };
  }
}
