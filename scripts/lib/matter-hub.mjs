// @ts-check
/** The demo household's hub beside homes that join it over Matter, and a person at its console. Plain Node. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hubEnvironment, startHub } from "./hub-process.mjs";

/** The hub's address in its network namespace. */
export const HUB_URL = "http://127.0.0.1:18080";
/** Its owner. */
export const OWNER = { name: "Asha Rao", email: "asha@example.org", password: "correct horse battery staple" };

/** @typedef {ReturnType<typeof makePerson>} Person */
/** @typedef {{ id: string, name: string, online: boolean, state: Record<string, unknown>, stateAt: string }} Device */
/**
 * @typedef {import("typebox").Static<(typeof
 *   import("../../src/features/matter/api/console-matter.ts").getMatter)["responses"][200]["schema"]>["matter"]} Matter
 */
/**
 * @typedef {{ devices: Device[], matter: Matter, commands: { actor: string, name: string | null }[], openings: { by: {
 *   name: string | null } | null }[], audit: { actor: string, person: string | null, action: string, target: string
 *   }[], network: { name: string } }} Body what the hub's answers hold, each some of it
 */

/**
 * The demo household's hub at {@link HUB_URL}, in the network namespace of this program.
 * @param {object} wishes
 * @param {string} wishes.folder
 * @param {string} wishes.build
 * @param {Record<string, string>} [wishes.more] further settings
 */
export function startDemoHub({ folder, build, more = {} }) {
  const env = hubEnvironment(folder, {
    ...(process.env.TMPDIR === undefined ? {} : { TMPDIR: process.env.TMPDIR }),
    GATEHOUSE_HOST: "0.0.0.0",
    GATEHOUSE_HTTP_PORT: new URL(HUB_URL).port,
    GATEHOUSE_MDNS: "true",
    GATEHOUSE_LOG_FORMAT: "json",
    GATEHOUSE_DEMO: "true",
    GATEHOUSE_TIME_ZONE: "UTC",
    GATEHOUSE_DEMO_SPEED: "60",
    GATEHOUSE_RECOGNITION: "false",
    GATEHOUSE_MATTER_INTERFACE: "gh0",
    // Without it, a quiet machine acts faster than a person could.
    GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0",
    GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS: "0",
    ...more,
  });
  return startHub({ env, build, hearsErrors: true });
}

/** Somebody at the console. @param {string} [cookie] */
export function makePerson(cookie = "") {
  let own = cookie;
  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<{ status: number, body: Body }>}
   */
  const call = async (method, path, body) => {
    const answer = await fetch(HUB_URL + path, {
      method,
      headers: { cookie: own, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const given = answer.headers.getSetCookie()[0];
    if (given !== undefined) own = given.split(";")[0] ?? "";
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
  };
  return Object.assign(call, { cookie: () => own });
}

/** How Matter is. @param {Person} person */
export async function matter(person) {
  return (await ok(person("GET", "/api/matter"))).body.matter;
}

/** Every device. @param {Person} person */
export async function devices(person) {
  return (await ok(person("GET", "/v1/devices"))).body.devices;
}

/** One device. @param {Person} person @param {string} id */
export async function device(person, id) {
  const found = (await devices(person)).find((one) => one.id === id);
  if (found === undefined) throw new Error(`no device ${id}`);
  return found;
}

/** An answer that is not a refusal. @param {Promise<{ status: number, body: Body }>} asked */
export async function ok(asked) {
  const answer = await asked;
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/**
 * Waits for something other than false or null.
 * @template Found
 * @param {string} what
 * @param {() => Promise<Found> | Found} probe
 * @returns {Promise<NonNullable<Found>>}
 */
export async function until(what, probe, limitMs = 20_000) {
  const begun = performance.now();
  /** The latest obstacle: nodes come and go meanwhile. */
  let why = "";
  for (;;) {
    try {
      const found = await probe();
      if (found !== null && found !== undefined && found !== false) return found;
    } catch (error) {
      why = error instanceof Error ? ` (${error.message})` : "";
    }
    const waited = performance.now() - begun;
    if (waited > limitMs) throw new Error(`waited too long: ${what}${why}`);
    await wait(Math.min(250, Math.max(20, waited / 10))); // less often, the longer it takes
  }
}

/**
 * Unpacks the newest backup of a hub into another data folder, as a restore on another host does.
 * @param {{ from: string, to: string }} where
 */
export async function restoreTo({ from, to }) {
  const root = join(import.meta.dirname, "../..");
  const { stageRestore } = await import("../../src/features/backups/restore.ts");
  const { doWork } = await import("../../src/features/backups/work.ts");
  await stageRestore({
    file: join(from, "backups", readdirSync(join(from, "backups")).sort().at(-1) ?? ""),
    dataFolder: to,
    passphrase: OWNER.password,
    migrationsFolder: join(root, "src/core/storage/migrations"),
    nowMs: Date.now(),
    doWork,
  });
}
