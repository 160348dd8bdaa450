// @ts-check
/**
 * Rows of updates by upload: one that is good, one whose hub crashes at its start, one with a wrong signature, one
 * interrupted by a power cut while it is written. After each: the right slot, and the household with all its data.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { check } from "./report.mjs";

/**
 * @typedef {import("./box.mjs").Box} Box
 * @typedef {import("./box.mjs").Updates} Updates
 */

const ROOT = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
const TRIAL_SECONDS = 300;

/** Makes bundles of other versions from the root that the image was made from. */
export class Bundles {
  #options;

  /**
   * @param {{ folder: string, work: string, scratch: string, key: string }} options `folder`: the image's, `work`: of
   *   build-image.sh
   */
  constructor(options) {
    this.#options = options;
  }

  /**
   * The root of `version` with `change` made to its main program; made once.
   * @param {string} version
   * @param {(main: string) => void} change
   */
  async root(version, change) {
    const { work, scratch } = this.#options;
    const file = join(scratch, `root-${version}.squashfs`);
    if (existsSync(file)) return file;
    const program = join(work, "root/opt/gatehouse");
    const from = readdirSync(program).find((name) => name !== "current");
    check(from !== undefined, `no version in ${program}`);
    const [manifest, main] = [join(program, version, "package.json"), join(program, version, "build/src/main.js")];
    execFileSync("mv", [join(program, from), join(program, version)]);
    execFileSync("ln", ["-sfn", version, join(program, "current")]);
    const before = { manifest: readFileSync(manifest, "utf8"), main: readFileSync(main, "utf8") };
    try {
      writeFileSync(manifest, before.manifest.replace(/"version": "[^"]*"/, `"version": "${version}"`));
      change(main);
      await run(join(ROOT, "scripts/image/squash.sh"), [join(work, "root"), `${file}.new`], {
        env: { ...process.env, LEVEL: "3" },
      });
      execFileSync("mv", [`${file}.new`, file]);
    } finally {
      writeFileSync(manifest, before.manifest);
      writeFileSync(main, before.main);
      execFileSync("mv", [join(program, version), join(program, from)]);
      execFileSync("ln", ["-sfn", from, join(program, "current")]);
    }
    return file;
  }

  /** A signed bundle that says it is `version`. @param {string} version @param {string} root */
  async bundle(version, root, key = this.#options.key) {
    const { folder, scratch } = this.#options;
    const file = join(scratch, `gatehouse-${version}-image-arm64.tar`);
    if (existsSync(file)) return file;
    const boot = join(folder, readdirSync(folder).find((name) => name.endsWith(".boot.tar")) ?? ".boot.tar");
    const args = [
      "--slot",
      "--arch",
      "arm64",
      "--version",
      version,
      "--root",
      root,
      "--boot",
      boot,
      "--key",
      key,
      "--out",
      scratch,
    ];
    await run(process.execPath, [join(ROOT, "scripts/release.mjs"), ...args]);
    return file;
  }
}

/** Sends an update as the console does, and asks for its installation. @param {Box} box @param {string} file */
async function install(box, file) {
  const content = readFileSync(file);
  const opened = await box.owner.call("POST", "/api/uploads", { kind: "update", bytes: content.length });
  check(opened.status === 201, `upload: ${opened.status} ${JSON.stringify(opened.body)}`);
  const { id, pieceBytes } = opened.body.upload;
  const started = performance.now();
  for (let at = 0; at < content.length; at += pieceBytes) {
    const answer = await fetch(`${box.url}/api/uploads/${id}?offset=${at}`, {
      method: "PUT",
      body: content.subarray(at, at + pieceBytes),
      headers: { "content-type": "application/octet-stream" },
    });
    check(answer.ok, `piece at ${at}: ${answer.status} ${await answer.text()}`);
  }
  const uploaded = (performance.now() - started) / 1000;
  await box.prove();
  const { status, body } = await box.owner.call("POST", "/api/updates", { uploadId: id });
  return { status, body, uploaded };
}

/** @param {Box} box @param {string[]} wanted */
async function untilPhase(box, wanted) {
  const deadline = performance.now() + box.limit(TRIAL_SECONDS * 2);
  /** @type {Updates | null} */
  let last = null;
  for (;;) {
    const seen = await box
      .signIn()
      .then(() => box.owner.call("GET", "/api/updates"))
      .catch(() => null);
    if (seen?.status === 200) last = seen.body.updates;
    if (seen?.status === 200 && last !== null && wanted.includes(last.state.phase)) return last;
    check(performance.now() < deadline, `the update did not become ${wanted}; last ${JSON.stringify(last?.state)}`);
    await pause(4_000);
  }
}

const megabytes = (/** @type {string} */ file) => `${(statSync(file).size / 1e6).toFixed(1)} MB`;

/** @param {Box} box @param {Bundles} bundles */
async function goodUpdate(box, bundles) {
  const file = await bundles.bundle("0.1.1", await bundles.root("0.1.1", () => {}));
  const before = (await box.slots()).booted;
  await box.signIn();
  const { status, body, uploaded } = await install(box, file);
  check(status === 202, `install: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  const state = await untilPhase(box, ["committed", "failed", "rolled-back"]);
  check(state.state.phase === "committed" && state.version === "0.1.1", JSON.stringify(state.state));
  await box.householdIsThere();
  const choice = await box.slots();
  check(choice.booted !== before && choice.good === choice.booted && choice.trial === null, JSON.stringify(choice));
  return `slot ${before} to ${choice.booted}; bundle ${megabytes(file)}, uploaded in ${uploaded.toFixed(0)} s; all data there`;
}

/** @param {Box} box @param {Bundles} bundles */
async function crashingUpdate(box, bundles) {
  const root = await bundles.root("0.1.2", (main) =>
    writeFileSync(main, 'throw new Error("this version is broken");\n'),
  );
  const file = await bundles.bundle("0.1.2", root);
  const before = (await box.slots()).booted;
  await box.signIn();
  const { status, body } = await install(box, file);
  check(status === 202, `install: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  const state = await untilPhase(box, ["rolled-back", "failed", "committed"]);
  check(state.state.phase === "rolled-back", JSON.stringify(state.state));
  await box.householdIsThere();
  const choice = await box.slots();
  check(choice.booted === before && choice.good === before && choice.trial === null, JSON.stringify(choice));
  return `slot ${before} again; all data there; message: ${state.state.text.slice(0, 90)}`;
}

/** @param {Box} box @param {Bundles} bundles @param {string} scratch */
async function wrongSignature(box, bundles, scratch) {
  const wrong = join(scratch, "wrong.pem");
  execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", wrong]);
  const file = await bundles.bundle("0.1.3", await bundles.root("0.1.1", () => {}), wrong);
  const before = await box.slots();
  await box.signIn();
  const { status, body } = await install(box, file);
  check(status >= 400 && status < 500, `install: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  // A compromised hub: the file is placed where the hub puts checked updates, and the root helper must refuse it by
  // itself.
  const left = "/var/lib/gatehouse/requests";
  const planted = await box.inside(
    `mkdir -p ${left} && cp $(ls -S /var/lib/gatehouse/uploads/* | head -1) ${left}/bundle.tar && echo "{\\"kind\\":\\"install\\"}" > ${left}/update`,
  );
  check(planted.status === 0, `the file could not be planted: ${planted.err}`);
  const state = await untilPhase(box, ["failed", "trial", "committed"]);
  check(state.state.phase === "failed" && /signature|signed/i.test(state.state.text), JSON.stringify(state.state));
  const after = await box.slots();
  check(after.booted === before.booted && after.trial === null && after.good === before.good, JSON.stringify(after));
  await box.householdIsThere();
  return `refused by the hub (${status} ${body.error?.code ?? ""} ${(body.error?.message ?? "").slice(0, 80)}) and by the part that installs; slot ${after.booted} runs on`;
}

/** @param {Box} box @param {Bundles} bundles */
async function cutUpdate(box, bundles) {
  const file = await bundles.bundle("0.1.4", await bundles.root("0.1.1", () => {}));
  const before = (await box.slots()).booted;
  await box.signIn();
  const { status, body } = await install(box, file);
  check(status === 202, `install: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  const deadline = performance.now() + box.limit(TRIAL_SECONDS);
  while ((await box.inside("pgrep -f [s]lots.mjs.write")).status !== 0) {
    check(performance.now() < deadline, "the slot tool was not seen");
    await pause(200);
  }
  await pause(300 + Math.random() * 1_500);
  await box.board.cut();
  await box.boot();
  const state = await untilPhase(box, ["failed", "rolled-back"]);
  await box.householdIsThere();
  const choice = await box.slots();
  check(choice.booted === before && choice.good === before, JSON.stringify(choice));
  return `slot ${choice.booted}; all data there; message: ${state.state.text.slice(0, 90)}`;
}

/**
 * The rows of updates, in an order in which each leaves the system ready for the next.
 * @param {{ box: Box, bundles: Bundles, scratch: string }} trial
 * @returns {import("./report.mjs").Row[]}
 */
export function updateRows({ box, bundles, scratch }) {
  return [
    { name: "update", title: "a good update: other slot, kept", work: () => goodUpdate(box, bundles) },
    { name: "crash", title: "an update whose hub crashes: back", work: () => crashingUpdate(box, bundles) },
    { name: "signature", title: "an update with a wrong signature", work: () => wrongSignature(box, bundles, scratch) },
    { name: "cut", title: "plug pulled while an update is written", work: () => cutUpdate(box, bundles) },
  ];
}
