import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetstream } from "@nats-io/jetstream";
import { connect, type NatsConnection, nkeyAuthenticator, nkeys } from "@nats-io/transport-node";
import type { Test } from "tap";
import type { Clock } from "../../src/core/kernel/clock.ts";
import type { Direction } from "../../src/core/plates/reading.ts";
import type { Estate } from "../../src/features/estate/estate.ts";
import { estateNames, hubPermissions } from "../../src/features/estate/names.ts";
import { createEstateStreams } from "../../src/features/estate/streams.ts";
import { type ConsoleHub, startConsoleHub } from "./console-hub.ts";
import { NatsServer } from "./nats.ts";
import { passOf } from "./played-pass.ts";

/** One hub of an estate, and its role. */
export interface EstateHub extends ConsoleHub {
  readonly estate: Estate;
  /** A car passes a camera of this hub, `in` or `out`. Returns the id of its read. */
  pass(plate: string, direction: Direction, at?: number): Promise<number>;
}

/** An estate with its server: users with exactly the rights of hubs, and the server's administrator. */
export class TestEstate {
  static readonly NAME = "palm-court";
  readonly server: NatsServer;
  readonly admin: NatsConnection;
  readonly #seeds: ReadonlyMap<string, string>;
  readonly #plateKey = randomBytes(32).toString("base64");

  private constructor(server: NatsServer, admin: NatsConnection, seeds: ReadonlyMap<string, string>) {
    this.server = server;
    this.admin = admin;
    this.#seeds = seeds;
  }

  /** Starts the server for hubs of these names; the first is a manager. */
  static async open(t: Test, hubs: readonly string[]): Promise<TestEstate> {
    const user = (): { key: string; seed: string } => {
      const pair = nkeys.createUser();
      return { key: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
    };
    const admin = user();
    const users = hubs.map((hub, index) => ({
      hub,
      ...user(),
      ...hubPermissions(TestEstate.NAME, hub, index === 0 ? "manager" : "gate"),
    }));
    const server = await NatsServer.start(t, { admin: admin.key, hubs: users });
    const connection = await connect({
      port: server.port,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(admin.seed)),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
    });
    t.teardown(() => connection.close());
    await createEstateStreams(connection, { estate: TestEstate.NAME, replicas: 1, keepDays: 30 });
    return new TestEstate(server, connection, new Map(users.map(({ hub, seed }) => [hub, seed])));
  }

  /** The key with which the estate's hubs hash plates. */
  get plateKey(): Buffer {
    return Buffer.from(this.#plateKey, "base64");
  }

  /** Publishes a hub's card, as that hub would. */
  async putCard(hub: string, card: object): Promise<void> {
    await jetstream(this.admin).publish(`$KV.${estateNames(TestEstate.NAME).hubs}.${hub}`, JSON.stringify(card));
  }

  /** The seed of a hub's user. */
  seedOf(hub: string): Uint8Array {
    return new TextEncoder().encode(this.#seeds.get(hub) ?? "");
  }

  /** Writes what makes a hub part of the estate. */
  join(dataFolder: string, hub: string, { port = this.server.port, part = "main", role = "gate" } = {}): void {
    const folder = join(dataFolder, "estate");
    mkdirSync(folder, { recursive: true });
    const files = { seedFile: "hub.nk", plateKeyFile: "plate.key" };
    writeFileSync(join(folder, files.seedFile), this.#seeds.get(hub) ?? "", { mode: 0o600 });
    writeFileSync(join(folder, files.plateKeyFile), this.#plateKey, { mode: 0o600 });
    const name = `${hub.slice(0, 1).toUpperCase()}${hub.slice(1)} gate`;
    writeFileSync(
      join(folder, "estate.json"),
      JSON.stringify({
        estate: TestEstate.NAME,
        hub,
        name,
        part,
        role,
        servers: [`nats://127.0.0.1:${port}`],
        ...files,
      }),
    );
  }

  /** Starts a hub of the estate, with a camera on each lane. */
  async start(
    t: Test,
    hub: string,
    {
      clock,
      cookie,
      ...options
    }: {
      readonly folder: string;
      readonly port?: number;
      readonly part?: string;
      readonly role?: string;
      readonly clock?: Clock;
      /** The owner's, if the folder was a hub's before. */
      readonly cookie?: string;
    },
  ): Promise<EstateHub> {
    this.join(options.folder, hub, options);
    const started = await startConsoleHub(t, {
      folder: options.folder,
      ...(clock === undefined ? {} : { clock }),
      ...(cookie === undefined ? {} : { claim: false }),
    });
    const open = cookie === undefined ? started : { ...started, ...signedIn(started, cookie) };
    if (cookie === undefined)
      for (const direction of ["in", "out"] as const) {
        await open.call("POST", "/api/devices", {
          id: `${hub}-${direction}`,
          name: `${hub} ${direction}`,
          type: "camera",
          room: null,
        });
        await open.call("PATCH", `/api/cameras/${hub}-${direction}`, { direction });
      }
    const { estate } = open.hub.estate;
    if (estate === null) throw new Error("the hub is in no estate");
    return {
      ...open,
      estate,
      pass: (plate, direction, at) => passOf(open.hub, `${hub}-${direction}`, plate, direction, at),
    };
  }
}

function signedIn({ api }: ConsoleHub, cookie: string): Pick<ConsoleHub, "cookie" | "call"> {
  return {
    cookie,
    call: (method, path, json) =>
      api.call(method, path, { headers: { Cookie: cookie }, ...(json === undefined ? {} : { json }) }),
  };
}
