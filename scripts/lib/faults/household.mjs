// @ts-check
/**
 * The household of every fault: an owner, devices that report, reads with pictures, backups, rules and
 * receivers; and the ledger of what the hub has acknowledged.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { ownTime } from "../processor-time.mjs";
import { Devices, METERS, OUTSIDE } from "./devices.mjs";
import { emptyTables, furnishEverything, furnishRows } from "./everything.mjs";
import { HubProcess } from "./hub.mjs";
import { emptyLedger, sha256 } from "./ledger.mjs";

const PHOTOGRAPHS = ["BR03AD2586", "MP06MW4025", "UP32JE3626"];
const OWNER = { name: "Asha Rao", email: "asha@example.org", password: "correct horse battery staple" };
/** Beyond this, a person takes the hub for dead; without the time in which a busy machine did not let it run. */
const HELD_MS = 6_000;
/** Longer than most faults take on a machine that is not busy. */
const BUSY_MS = 10_000;

/** @typedef {{ what: string, evidence: string }} Finding */

/**
 * See the head of the file. One folder, so that the paths inside stay true; each fault begins with a copy of the
 * household after set-up.
 */
export class Household {
  /** @type {HubProcess | null} */
  #hub = null;
  /** @type {HubProcess[]} */
  processes = [];
  /** @type {Finding[]} */
  findings = [];
  ledger = emptyLedger();
  /** Tables whose rows the fault itself has harmed. @type {Set<string>} */
  harmedTables = new Set();
  #furnished = emptyLedger();
  #cookie = "";
  devices = new Devices(this);
  /** Samples sent during set-up. */
  baseSent = 0;
  #rooms = 0;
  /** @type {(() => Promise<void>) | null} */
  #endLoad = null;
  /** Whether service can be expected now: not while a fault prevents it. */
  expectsService = true;
  /** After the fault, the hub has reported a storage problem at some time, or refused to start with a plain message. */
  wasReported = false;
  /** The fault has its own checks. */
  isLookedAt = false;
  /** It refused to start, with a plain message. */
  isEnded = false;
  /** The secrets of webhooks cannot be decrypted any more, and the hub reports it. */
  mayLackSecrets = false;
  /** The hub may delete the oldest pictures to make room. */
  mayLosePictures = false;
  /** Files of interrupted deletions may be removed after the next start only. */
  mayTidyUp = false;
  /** It restored a backup. */
  isRestored = false;
  /**
   * How devices reach the broker; a fault may intercept it.
   * @type {(port: number) => import("node:stream").Duplex}
   */
  dial = (port) => connect(port, "127.0.0.1");

  /**
   * @param {{ scratch: string, build: string, root: string, receivers: import("./receiver.mjs").Receivers }} options
   */
  constructor(options) {
    this.options = options;
    this.folder = join(options.scratch, "data");
    this.template = join(options.scratch, "template");
    /** Environment of every start of this fault. @type {Record<string, string>} */
    this.env = {};
    /** Modules that are loaded before the hub. @type {string[]} */
    this.imports = [];
    this.build = this.options.build;
    /** What the hub's command begins with. @type {string[]} */
    this.prefix = [];
    /** The hub's address. */
    this.host = "127.0.0.1";
    /** Takes the network of a fault away. @type {(() => Promise<void>) | null} */
    this.endNetwork = null;
  }

  get hub() {
    if (this.#hub === null) throw new Error("no hub runs");
    return this.#hub;
  }

  get runs() {
    return this.#hub?.runs === true;
  }

  get hasPhotographs() {
    return existsSync(join(this.options.root, "models/plate-reader.onnx"));
  }

  /** @param {string} what @param {string} evidence */
  find(what, evidence) {
    this.findings.push({ what, evidence: evidence.replace(/\s+/g, " ").slice(0, 500) });
  }

  /** Starts the hub; false if it exited before it served. */
  async start() {
    const { build, folder, imports, prefix, host } = this;
    const env = { NODE_COMPILE_CACHE: join(this.options.scratch, "compiled"), ...this.env }; // as installed
    const hub = new HubProcess({ build, folder, env, imports, prefix, host });
    this.#hub = hub;
    this.processes.push(hub);
    return hub.ready();
  }

  /** @param {string} method @param {string} path @param {unknown} [body] */
  call(method, path, body) {
    return this.hub.call(method, path, { ...(body === undefined ? {} : { body }), cookie: this.#cookie });
  }

  /** A call that has to succeed. @param {string} method @param {string} path @param {unknown} [body] */
  async must(method, path, body) {
    const answer = await this.call(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${String(answer.bytes).slice(0, 200)}`);
    return answer.body;
  }

  /** Signs the owner in again; returns the response. */
  async signIn() {
    const { email, password } = OWNER;
    const ask = () => this.hub.call("POST", "/api/session", { body: { email, password } });
    // If the hub's minutes are shortened, so are its request timeouts.
    const answer = await (this.env.CLOCK_SPEED === undefined ? ask() : ask().catch(ask).catch(ask));
    if (answer.status < 300) this.#cookie = answer.body.cookie ?? "";
    return answer;
  }

  /** Sets the household up once; ends with a clean stop. */
  async furnish() {
    mkdirSync(this.folder, { recursive: true });
    this.env = this.hasPhotographs ? { GATEHOUSE_RECOGNITION: "true", GATEHOUSE_RECOGNITION_BUDGET_MS: "60000" } : {};
    this.env.GATEHOUSE_TLS = "own"; // with certificates, which the first start creates
    this.env.GATEHOUSE_PLAIN_HTTP = "open";
    this.env.COMMAND_TTL = "3600"; // what waits for a device that is away is still there at the end, however long this takes
    if (!(await this.start())) throw new Error(`the hub did not start: ${this.hub.stderr}`);
    this.#cookie = (await this.must("POST", "/api/claim", { code: this.hub.claimCode, ...OWNER })).cookie;
    const devices = [
      ...METERS.map((id) => [id, "energy-meter"]),
      ["camera-1", "camera"],
      ["gate-1", "gate"],
      [OUTSIDE, "smart-plug"],
    ];
    for (const [id = "", type] of devices)
      this.devices.passwords[id] = (await this.must("POST", "/api/devices", { id, name: id, type })).password;
    for (const url of [this.options.receivers.goodUrl, this.options.receivers.badUrl])
      await this.must("POST", "/api/webhooks", { url, events: ["device.telemetry", "plate.read"], probe: true });
    await this.must("PATCH", "/api/cameras/camera-1", { gate: { deviceId: "gate-1", command: { open: true } } });
    await this.must("POST", "/v1/plate-rules", { plate: PHOTOGRAPHS[0], kind: "allow" });
    await this.must("POST", "/api/keys", { name: "App", env: "live", scopes: ["devices:read"] });
    for (let n = 0; n < 20; n++) await this.room();
    await this.#capture();
    await this.devices.connect();
    await this.devices.meters[0]?.publishAsync(`gatehouse/${METERS[0]}/state`, JSON.stringify({ on: true }), {
      qos: 1,
    });
    for (let n = 0; n < 200; n++) this.devices.report();
    await this.devices.settled(20_000);
    await furnishEverything(this);
    for (let n = 0; n < 2; n++) await this.backUp();
    await this.must("POST", "/api/backups/rehearse", {});
    this.devices.hangUp();
    if ((await this.hub.stop()) !== 0) throw new Error("the hub did not stop well");
    furnishRows(this.folder);
    const empty = emptyTables(this.folder);
    if (empty.length > 0) throw new Error(`no fault would meet these tables, they are empty: ${empty.join(", ")}`);
    this.#furnished = {
      ...emptyLedger(),
      samples: this.ledger.samples,
      rooms: this.ledger.rooms,
      backups: this.ledger.backups,
    };
    this.baseSent = this.devices.sent;
    cpSync(this.folder, this.template, { recursive: true, preserveTimestamps: true });
  }

  /** One capture of each photographed vehicle; waits until all are read. */
  async #capture() {
    const camera = await this.devices.connectOne("camera-1");
    for (const [at, plate] of PHOTOGRAPHS.entries()) {
      const jpeg = readFileSync(join(this.options.root, `test/fixtures/plates/two-wheeler-${plate}.jpg`));
      await camera.publishAsync(`gatehouse/camera-1/capture/${at + 1}/0`, jpeg, { qos: 1 });
      await camera.publishAsync(
        `gatehouse/camera-1/capture/${at + 1}/done`,
        JSON.stringify({ trigger: "loop", frames: 1, direction: "in" }),
        { qos: 1 },
      );
    }
    const deadline = performance.now() + 300_000; // long, so that a busy machine causes no finding
    while ((await this.must("GET", "/v1/plates?limit=10")).plates.length < PHOTOGRAPHS.length) {
      if (performance.now() > deadline) throw new Error("the photographs were not read in time");
      await pause(50);
    }
    await pause(300); // the pictures are written after their rows
    camera.end(true);
  }

  /** The household as it was furnished, on `mount`'s disk where one is given. @param {() => void} [mount] */
  renew(mount) {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    mount?.();
    cpSync(this.template, this.folder, { recursive: true, preserveTimestamps: true });
    this.env = {};
    this.imports = [];
    this.build = this.options.build;
    this.prefix = [];
    this.host = "127.0.0.1";
    this.findings = [];
    this.processes = [];
    this.#hub = null;
    this.wasReported = false;
    this.isLookedAt = false;
    this.isEnded = false;
    this.mayLosePictures = false;
    this.mayLackSecrets = false;
    this.mayTidyUp = false;
    this.devices.waiting = new Set();
    this.harmedTables = new Set();
    this.isRestored = false;
    this.expectsService = true;
    this.dial = (port) => connect(port, "127.0.0.1");
    this.devices.sent = this.baseSent;
    const { samples, rooms, backups } = this.#furnished;
    this.ledger = { ...emptyLedger(), samples: new Set(samples), rooms: new Set(rooms), backups: new Map(backups) };
    this.options.receivers.reset();
  }

  /** One room; in the ledger once it is acknowledged. */
  async room() {
    const name = `Room ${this.#rooms++}`;
    const { ledger } = this;
    const { status } = await this.call("POST", "/api/rooms", { name });
    if (status === 201) ledger.rooms.add(name);
    return status;
  }

  /** A backup; in the ledger once it is acknowledged. */
  async backUp() {
    const { ledger } = this;
    const { status, body } = await this.call("POST", "/api/backups", {});
    for (const { id, file, sha256: hash, problem } of body.backups ?? [])
      if (status === 201 && problem === null) ledger.backups.set(id, { id, file, sha256: hash });
    return status;
  }

  /**
   * Sends samples and creates rooms until {@link Household.calm}, and checks that the hub serves meanwhile. After
   * {@link BUSY_MS}, where a busy machine makes a fault take longer, at a tenth of the pace: the load would only make it
   * busier.
   */
  busy(rate = 80) {
    let ending = false;
    let pace = 1;
    const slower = setTimeout(() => {
      pace = 10;
    }, BUSY_MS);
    const repeat = async (/** @type {number} */ gap, /** @type {() => Promise<unknown>} */ act) => {
      while (!ending) {
        if (this.runs) await act().catch(() => {});
        await pause(gap * pace);
      }
    };
    const samples = (async () => {
      while (!ending) {
        for (let n = 0; n < rate / 20; n++) this.devices.report();
        await pause(50 * pace);
      }
    })();
    const rooms = repeat(150, () => this.room());
    const watch = repeat(200, async () => {
      const { hub } = this;
      const elapsed = ownTime(hub.pid, process.pid);
      const answered = await hub.call("GET", "/healthz", { timeoutMs: HELD_MS }).then(
        () => true,
        () => false,
      );
      if (!answered && hub.runs && elapsed() >= HELD_MS * 0.95 && this.expectsService)
        this.find("loop-held", `/healthz gave no answer in ${HELD_MS} ms`);
    });
    this.#endLoad = async () => {
      ending = true;
      clearTimeout(slower);
      await Promise.all([samples, rooms, watch]);
    };
  }

  /** Ends the load. */
  async calm() {
    await this.#endLoad?.();
    this.#endLoad = null;
  }

  /** Stops all requests and processes. */
  async close() {
    await this.calm();
    this.devices.hangUp();
    if (this.runs) await this.hub.kill();
    await this.endNetwork?.();
    this.endNetwork = null;
  }

  /**
   * The household returns to a backup: only the data of its set-up must be there, and samples sent since may be
   * missing.
   */
  toBackup() {
    this.isRestored = true;
    const { rooms, backups } = this.#furnished;
    this.ledger = { ...emptyLedger(), rooms: new Set(rooms), backups: new Map(backups) };
  }

  /** Data that was only in the log may be lost if the log was damaged; the data of the set-up may not. */
  mayLoseLog() {
    const { samples, rooms } = this.#furnished;
    Object.assign(this.ledger, { samples: new Set(samples), rooms: new Set(rooms) });
  }

  /** The fault removed samples. */
  mayLoseSamples() {
    this.ledger.samples = new Set();
  }

  /** Whether no row of a plate's reads is left. @param {string} plate */
  isForgotten(plate) {
    const database = new SqliteDatabase(join(this.folder, "gatehouse.db"));
    try {
      return database.prepare("SELECT 1 FROM plate_read WHERE plate = ?").get(plate) === undefined;
    } finally {
      database.close();
    }
  }

  /** Files of the pictures, by read. */
  pictures() {
    const folder = join(this.template, "plates");
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jpg"))
      .map((name) => ({
        readId: Number(/(\d+)\.jpg$/.exec(name)?.[1]),
        name,
        hash: sha256(readFileSync(join(folder, name))),
      }));
  }
}
