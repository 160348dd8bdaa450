// @ts-check
/**
 * The system under test: a card in the emulator, its web port, its broker, and a shell for inspection.
 *
 * Limits scale with the emulator's speed: `pace` is the duration of the first boot relative to an idle machine, and
 * every wait is longer by that factor. The hub's own limits (watchdog, trial, give-up times) are the product's and stay
 * as they are.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { Board } from "../emulator.mjs";
import { check } from "./report.mjs";

/** A boot to the served API on an idle machine of two cores. */
const IDLE_BOOT_SECONDS = 40;
const FIRST_BOOT_LIMIT_MS = 1_200_000;
/** An emulated board gets this many times what an idle emulator needs. */
const SLACK = 4;
/** Beyond this factor, longer waits would hide a hang. */
const MOST_PACE = 10;

/**
 * The members that the rows read from the hub's answers; each answer has some of them.
 * @typedef {object} Body
 * @property {{ id: number, name: string }[]} rooms
 * @property {{ id: string }[]} devices
 * @property {{ data: { n: number } }[]} telemetry
 * @property {{ plate: string | null, status: string, reason: string, confidence: number }[]} plates
 * @property {Backup[]} backups
 * @property {{ name: string, ready: boolean }[]} destinations
 * @property {{ ok: boolean, tookMs: number }} rehearsal
 * @property {Updates} updates
 * @property {{ id: string, pieceBytes: number }} upload
 * @property {boolean} claimed
 * @property {string} password
 * @property {string[]} restartFor
 * @property {{ code: string, message: string }} [error]
 */

/**
 * @typedef {{ id: number, destination: string, file: string, bytes: number, sha256: string, problem: string | null }}
 *   Backup
 * @typedef {{ version: string, state: { phase: string, text: string }, found: { version: string, fits: boolean }[] }}
 *   Updates
 * @typedef {{ booted: string, good: string, trial: string | null }} Slots
 * @typedef {{ status: number | string, out: string, err: string }} ShellResult
 * @typedef {(method: string, path: string, body?: unknown) => Promise<{ status: number, body: Body }>} Call
 * @typedef {{ cookie: string, call: Call, claim(code: string): Promise<void> }} Person
 * @typedef {(file: string) => import("better-sqlite3").Database} OpenDatabase
 */

export const OWNER = { email: "asha@example.org", password: "correct horse battery staple" };

/** A card in a board, and those who use it. */
export class Box {
  #Person;
  #sshKey;
  #folder;
  #pace = 1;
  board;
  image;
  /** @type {Person | null} */
  #owner = null;
  /** Devices by id, with their passwords. @type {Record<string, string>} */
  devices = {};

  /**
   * @param {{ image: string, folder: string, sshKey: string, Person: new (url: string) => Person, neighbours:
   *   { address: string, port: number, here: number }[] }} options
   */
  constructor({ image, folder, sshKey, Person, neighbours }) {
    this.image = image;
    this.#folder = folder;
    this.#sshKey = sshKey;
    this.#Person = Person;
    this.board = new Board({ image, folder, neighbours });
  }

  /** How much slower than on an idle machine the first boot was; 1 at least. */
  get pace() {
    return this.#pace;
  }

  /** The hub's owner, signed in. */
  get owner() {
    check(this.#owner !== null, "nobody is signed in");
    return this.#owner;
  }

  set owner(person) {
    this.#owner = person;
  }

  get url() {
    return `http://127.0.0.1:${this.board.port(80)}`;
  }

  /** Milliseconds to wait for what takes an idle emulator `seconds`. @param {number} seconds */
  limit(seconds) {
    return Math.round(seconds * 1000 * SLACK * Math.min(MOST_PACE, this.#pace));
  }

  /** Switches on and waits for the served API; resolves with the seconds that took. */
  async boot() {
    await this.board.powerOn();
    const seconds = await this.board.served({
      limitMs: this.#pace === 1 ? FIRST_BOOT_LIMIT_MS : this.limit(IDLE_BOOT_SECONDS * 2),
    });
    console.log(`  boot ${this.board.boots}: served after ${seconds.toFixed(0)} s`);
    this.#pace = Math.max(this.#pace, seconds / IDLE_BOOT_SECONDS);
    return seconds;
  }

  /**
   * A command in the guest as root: a shell line without single quotes. Resolves with exit status and output.
   * @param {string} command
   * @returns {Promise<ShellResult>}
   */
  inside(command, { seconds = 60 } = {}) {
    const options = [
      "StrictHostKeyChecking=no",
      "UserKnownHostsFile=/dev/null",
      "LogLevel=ERROR",
      "ConnectTimeout=120",
      "ServerAliveInterval=30",
    ];
    const args = [
      "-i",
      this.#sshKey,
      ...options.flatMap((option) => ["-o", option]),
      "-p",
      String(this.board.port(22)),
      "installer@127.0.0.1",
    ];
    return new Promise((done) => {
      execFile(
        "ssh",
        [...args, `sudo sh -c '${command}'`],
        { timeout: this.limit(seconds), maxBuffer: 1 << 26 },
        (error, stdout, stderr) =>
          done({ status: error === null ? 0 : (error.code ?? 1), out: stdout.trim(), err: stderr.trim() }),
      );
    });
  }

  /** Waits until there is a shell. */
  async shell() {
    const deadline = performance.now() + this.limit(120);
    for (let result = await this.inside("true"); result.status !== 0; result = await this.inside("true")) {
      check(performance.now() < deadline, `no shell: ${result.err.slice(-200)}`);
      await pause(2_000);
    }
  }

  /** What the slot tool says. @returns {Promise<Slots>} */
  async slots() {
    await this.shell();
    return JSON.parse((await this.inside("/usr/lib/gatehouse/slots status")).out);
  }

  /** A person without a session. */
  visitor() {
    return new this.#Person(this.url);
  }

  async signIn() {
    const person = this.visitor();
    const { status } = await person.call("POST", "/api/session", OWNER);
    check(status < 300, `sign-in: ${status}`);
    this.owner = person;
  }

  /**
   * Confirms the owner's identity again: the hub requires it for sensitive operations five minutes after the last time.
   */
  async prove() {
    const { status } = await this.owner.call("POST", "/api/session/proof", { password: OWNER.password });
    check(status === 200, `proof: ${status}`);
  }

  /**
   * Saves a setting, and starts the hub again where it waits for that. @returns whether it did
   * @param {string} name
   * @param {unknown} value
   */
  async set(name, value) {
    await this.prove();
    const { status, body } = await this.owner.call("PATCH", "/api/settings", { settings: { [name]: value } });
    check(status === 200, `setting ${name}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
    if (!body.restartFor.includes(name)) return false;
    await this.shell();
    check((await this.inside("systemctl restart gatehouse", { seconds: 120 })).status === 0, "the hub did not restart");
    await this.board.served({ limitMs: this.limit(60) });
    await this.signIn();
    return true;
  }

  /** Adds a device and keeps its password. @param {string} id @param {string} type */
  async addDevice(id, type) {
    await this.prove();
    const { status, body } = await this.owner.call("POST", "/api/devices", { id, name: id, type });
    check(status === 201, `device ${id}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
    this.devices[id] = body.password;
  }

  /** A connected MQTT client of a device. @param {string} id */
  async client(id, { suffix = "", reconnect = false } = {}) {
    const client = mqtt.connect({
      host: "127.0.0.1",
      port: this.board.port(1883) ?? 0,
      username: id,
      password: this.devices[id] ?? "",
      clientId: `${id}${suffix}`,
      connectTimeout: this.limit(20),
      reconnectPeriod: reconnect ? 2_000 : 0,
    });
    await new Promise((connected, refused) => {
      client.once("connect", connected);
      client.once("error", refused);
      client.once("close", () => refused(new Error("the broker closed the connection")));
    });
    client.on("error", () => {}); // the power will be cut
    return client;
  }

  /**
   * All samples of a device from `since` on, newest first.
   * @param {string} id
   * @param {string} since
   * @returns {Promise<Body["telemetry"]>}
   */
  async samples(id, since) {
    /** @type {Body["telemetry"]} */
    const found = [];
    /** @type {string | null} */
    let path = `/v1/devices/${id}/telemetry?limit=1000&since=${encodeURIComponent(since)}`;
    while (path !== null) {
      /** @type {Response} */
      const answer = await fetch(this.url + path, { headers: { cookie: this.owner.cookie } });
      check(answer.status === 200, `telemetry: ${answer.status}`);
      /** @type {Body} */
      const { telemetry } = JSON.parse(await answer.text());
      found.push(...telemetry);
      /** @type {string | undefined} */
      const next = /<([^>]+)>;\s*rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
      path = next === undefined ? null : next.replace(/^https?:\/\/[^/]+/, "");
    }
    return found;
  }

  /** The household that was set up at the beginning is there: its room, its devices, its samples. */
  async householdIsThere() {
    await this.signIn();
    const { status, body } = await this.owner.call("GET", "/v1/rooms");
    check(status === 200, `rooms: ${status}`);
    check(
      body.rooms.some(({ name }) => name.startsWith("Porch")),
      "the room Porch is gone",
    );
    const devices = (await this.owner.call("GET", "/v1/devices")).body.devices.map(({ id }) => id);
    check(
      ["meter", "camera"].every((id) => devices.includes(id)),
      `devices: ${devices}`,
    );
    const samples = await this.owner.call("GET", "/v1/devices/meter/telemetry?limit=5");
    check(samples.body.telemetry.length === 5, "samples are gone");
  }

  /** The screen as a PNG; null where the emulator has none. @param {string} name */
  picture(name) {
    return this.board.screen(join(this.#folder, name));
  }
}
