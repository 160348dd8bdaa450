import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { Passwords } from "../../src/features/access/password.ts";
import { CHEAP_COST } from "./cheap-cost.ts";
import { PROJECT_ROOT } from "./database.ts";
import { moveIn } from "./owned-homes.ts";

/** A hub in its own process, as `npm start` runs it, on free ports of the loopback interface. */
export interface HubProcess {
  readonly url: string;
  readonly mqttPort: number;
  /** `https://127.0.0.1:PORT`, and the port of MQTT over TLS; empty and NaN while TLS is off, the default in tests. */
  readonly httpsUrl: string;
  readonly mqttsPort: number;
  /** The printed claim code; null when the hub is claimed. */
  readonly claimCode: string | null;
  readonly pid: number;
  /** Everything it printed so far. */
  output(): string;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** The bundle: tests run what runs in houses. `npm test` rebuilds it when its sources have changed. */
const MAIN = join(PROJECT_ROOT, "build-hub/src/main.js");

/** Compile cache for the hubs and commands that tests start, as in houses. */
export const compileCache: Readonly<Record<string, string>> =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

/** Settings of every hub in tests: on loopback, at ports chosen by the system, without network access. */
export function testEnvironment(dataFolder: string): Record<string, string> {
  return {
    GATEHOUSE_DATA: dataFolder,
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_TLS: "off",
    GATEHOUSE_HTTPS_PORT: "0",
    GATEHOUSE_MQTTS_PORT: "0",
    GATEHOUSE_MDNS: "false",
    GATEHOUSE_SNTP: "false",
    // Tests poll until something has happened; the limits have tests of their own.
    GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "0",
    // What a hub prepares after its start takes longer than the start.
    HUB_PREPARES: "nothing",
  };
}

/** Loaded into a hub to make its password hashes cost next to nothing. */
const CHEAP_PASSWORDS = ["--require", join(PROJECT_ROOT, "test/support/cheap-passwords.cjs")];

/**
 * Starts a hub on `dataFolder` and waits until it reports that it is ready; `main`: of another build; `dearPasswords`:
 * hashed at the cost used in houses.
 * @throws Error with its output when it ends before.
 */
export async function startHubProcess(
  dataFolder: string,
  env: Record<string, string> = {},
  { main = MAIN, dearPasswords = false }: { readonly main?: string; readonly dearPasswords?: boolean } = {},
): Promise<HubProcess> {
  const child = spawn(process.execPath, [...(dearPasswords ? [] : CHEAP_PASSWORDS), main], {
    env: {
      PATH: process.env.PATH ?? "",
      ...(process.env.TMPDIR === undefined ? {} : { TMPDIR: process.env.TMPDIR }), // folder of a control socket whose own folder has a long path
      ...compileCache,
      ...testEnvironment(dataFolder),
      GATEHOUSE_LOG_FORMAT: "json",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
  await ready(child, () => text);
  const exited = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  return {
    url: /Gatehouse is ready: (\S+)/.exec(text)?.[1] ?? "",
    mqttPort: Number(/mqtt:\/\/[^\s:]+:(\d+)/.exec(text)?.[1]),
    httpsUrl: /TLS {3}(https:\/\/\S+)/.exec(text)?.[1] ?? "",
    mqttsPort: Number(/mqtts:\/\/[^\s:]+:(\d+)/.exec(text)?.[1]),
    claimCode: /Claim code: (\S+)/.exec(text)?.[1] ?? null,
    pid: child.pid ?? 0,
    output: () => text,
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/**
 * A hub with an owner (asha@example.org), who is signed in; it starts in a copy of a home that was claimed before, put
 * into `dataFolder`.
 */
export async function startOwnedHub(
  dataFolder: string,
  env: Record<string, string> = {},
): Promise<{ hub: HubProcess; owner: Person }> {
  const { cookie } = await moveIn(dataFolder, "process", claimedHome);
  const hub = await startHubProcess(dataFolder, env);
  const owner = new Person(hub.url, cookie);
  // a restarted hub asks for a proof
  const { status } = await owner.call("POST", "/api/session/proof", { password: OWNER.password });
  if (status !== 200 && status !== 204) throw new Error(`proof: ${status}`);
  return { hub, owner };
}

/** The person who claims the hubs of tests. */
export const OWNER = { name: "Asha Rao", email: "asha@example.org", password: "correct horse battery staple" };

/** Claims a hub in an empty folder, and creates its test household. */
async function claimedHome(folder: string): Promise<{ cookie: string }> {
  const hub = await startHubProcess(folder, { GATEHOUSE_RECOGNITION: "false" });
  const owner = new Person(hub.url);
  await owner.claim(hub.claimCode ?? "");
  const database = new SqliteDatabase(join(folder, "gatehouse.db"), { readonly: true });
  const made = database.prepare("SELECT value FROM hub WHERE key LIKE 'sandbox.%.made'").pluck();
  await eventually(() => String(made.get()).includes("scenes"), 60_000); // the last part
  database.close();
  await hub.stop();
  await makeSignInCheap(join(folder, "gatehouse.db"));
  return { cookie: owner.cookie };
}

/** Each hub that starts in the home compares the owner's password: as much work as a quarter of the start. */
async function makeSignInCheap(file: string): Promise<void> {
  const database = new SqliteDatabase(file);
  const hash = await new Passwords(CHEAP_COST).hash(OWNER.password);
  database.prepare("UPDATE account SET password_hash = ?").run(hash);
  database.close();
}

/** Far more than a start takes: many programs may share the machine with the tests. */
const READY_MS = 120_000;

async function ready(child: ChildProcess, text: () => string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (!/mqtts?:\/\//.test(text()) || !/Console/.test(text())) {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`the hub ended with ${end}:\n${text()}`);
    if (Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`the hub was not ready in ${READY_MS} ms:\n${text()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A person at the hub's console API: keeps the session's cookie. */
export class Person {
  readonly #url: string;
  #cookie: string;

  /** `cookie`: of an open session. */
  constructor(url: string, cookie = "") {
    this.#url = url;
    this.#cookie = cookie;
  }

  /** One JSON request; resolves with status and body. */
  async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Body }> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        ...(this.#cookie === "" ? {} : { cookie: this.#cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const cookie = response.headers.getSetCookie()[0];
    if (cookie !== undefined) this.#cookie = cookie.split(";")[0] ?? "";
    const text = await response.text();
    // the caller names the shape it expects
    return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Body };
  }

  /** The session's cookie, for requests made by hand. */
  get cookie(): string {
    return this.#cookie;
  }

  /** Sends bytes of any kind; resolves with status and body. */
  async send(
    method: string,
    path: string,
    body: Uint8Array<ArrayBuffer>,
    type: string,
  ): Promise<{ status: number; body: unknown }> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { cookie: this.#cookie, "content-type": type },
      body,
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  /** Claims a new hub with its code. */
  async claim(code: string): Promise<void> {
    const { status, body } = await this.call("POST", "/api/claim", { code, ...OWNER });
    if (status !== 201) throw new Error(`claim: ${status} ${JSON.stringify(body)}`);
  }
}

/** Polls less often the longer it has waited: a tenth of the wait, between these. */
const LOOK_MS = { least: 10, most: 250 };

/** Polls until `probe` gives something other than undefined or false; throws after `limitMs`. */
export async function eventually<Found>(
  probe: () => Promise<Found | undefined> | Found | undefined,
  limitMs = 8_000,
): Promise<Found> {
  const begun = Date.now();
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    const waited = Date.now() - begun;
    if (waited > limitMs) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, waited / 10))));
  }
}
