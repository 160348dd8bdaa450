/** Hubs without a compiled module, or with a damaged one: as installed, but for it. */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { EMPTY_PICTURE } from "../../src/features/recognition/empty-picture.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { compileCache, eventually, startHubProcess, testEnvironment } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

interface Check {
  readonly code: string;
  readonly level: string;
  readonly text: string;
}

const BUNDLE = join(PROJECT_ROOT, "build-hub");
const skip = !existsSync(BUNDLE) && "there is no bundle";

const { copyProgram } = (await import(join(PROJECT_ROOT, "scripts/lib/faults/copied-program.mjs"))) as {
  copyProgram(place: { root: string; build: string; folder: string }): { main: string; modules: string };
}; // plain JavaScript

/** The program with everything it needs but what `harm` removes from its folder of modules. */
function program(t: Test, harm: (modules: string) => void): { folder: string; main: string } {
  const folder = testFolder(t);
  const { main, modules } = copyProgram({ root: PROJECT_ROOT, build: BUNDLE, folder });
  harm(modules);
  return { folder, main };
}

const without =
  (name: string) =>
  (folder: string): void =>
    rmSync(join(folder, name));

/** The file of `name` that ends with `ending` is cut in half. */
const cut =
  (name: string, ending: string) =>
  (folder: string): void => {
    const own = realpathSync(join(folder, name));
    rmSync(join(folder, name));
    cpSync(own, join(folder, name), { recursive: true });
    for (const file of readdirSync(join(folder, name), { recursive: true, encoding: "utf8" }))
      if (file.endsWith(ending))
        truncateSync(join(folder, name, file), Math.floor(readFileSync(join(folder, name, file)).length / 2));
  };

/** The binaries of `name` are not executable files. */
const garbled =
  (name: string) =>
  (folder: string): void => {
    cut(name, "nothing")(folder);
    for (const file of readdirSync(join(folder, name), { recursive: true, encoding: "utf8" }))
      if (file.endsWith(".node")) writeFileSync(join(folder, name, file), "not a program");
  };

/** One photograph, by the command line of that program. */
function read(folder: string) {
  const photograph = join(folder, "one.jpg");
  writeFileSync(photograph, EMPTY_PICTURE);
  return run(
    [join(folder, "scripts", "gatehouse.mjs"), "recognise", photograph],
    testEnvironment(join(folder, "data")),
  );
}

function run(args: string[], env: Record<string, string>): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH ?? "", ...compileCache, ...env } });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += String(chunk)));
    child.stderr.on("data", (chunk) => (err += String(chunk)));
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

async function checks(url: string): Promise<Check[]> {
  const { checks } = (await (await fetch(`${url}/healthz`)).json()) as { checks: Check[] }; // our own response
  return checks;
}

for (const [how, harm] of [
  ["missing", without("better-sqlite3")],
  ["cut", cut("better-sqlite3", ".node")],
] as const)
  t.test(`the database's module is ${how}: one sentence, and no other start is tried`, { skip }, async (t) => {
    const { folder, main } = program(t, harm);
    const env = testEnvironment(join(folder, "data"));
    for (const cache of [{}, { NODE_COMPILE_CACHE: join(folder, "compiled") }]) {
      const { code, err } = await run([main], { ...env, ...cache });
      t.equal(code, 78, err);
      t.match(err, /part of the program is missing.*Install this version again/);
      t.notMatch(err, /\n\s+at /, "no stack trace");
      t.equal(err.trim().split("\n").length, 1, err);
    }
    const doctor = await run([join(folder, "scripts", "gatehouse.mjs"), "doctor"], env);
    t.not(doctor.code, 0);
    t.match(doctor.err, /part of the program is missing/, "the command line reports it too");
    t.notMatch(doctor.err, /\n\s+at /);
  });

for (const [name, lost, stays] of [
  ["sharp", /sharp\. Plates are not read\. Pictures of cameras/, ["storage", "broker"]],
  ["onnxruntime-node", /onnxruntime-node\. Plates are not read\. Install/, ["storage", "broker"]],
  ["unix-dgram", /unix-dgram\. systemd is notified/, ["storage", "broker", "recogniser"]],
] as const)
  t.test(`${name} is missing: the hub serves, and health reports what does not work`, { skip }, async (t) => {
    const { folder, main } = program(t, without(name));
    const hub = await startHubProcess(join(folder, "data"), {}, { main });
    t.teardown(() => hub.kill());
    const found = await checks(hub.url);
    t.match(
      found.find(({ code }) => code === "modules"),
      { level: "degraded", text: lost },
    );
    for (const one of stays) t.equal(found.find(({ code }) => code === one)?.level, "ok", one);
    t.match(hub.output(), /parts of the program are missing/);
    t.match(hub.output(), /! +Parts of the program/, "the start's log lines name it");
    t.equal(await hub.stop(), 0);
  });

for (const [name, text] of [
  ["onnxruntime-node", /onnxruntime-node\. Plates are not read\. Install/],
  ["@img", /sharp\. Plates are not read\. Pictures/],
] as const)
  t.test(`${name} is truncated: it is not loaded, which would end the process`, { skip }, async (t) => {
    const { folder, main } = program(t, (modules) => {
      cut(name, ".node")(modules);
      if (name === "@img") cut("sharp", "nothing")(modules); // it looks beside its own files
    });
    const hub = await startHubProcess(join(folder, "data"), {}, { main });
    t.teardown(() => hub.kill());
    const found = await checks(hub.url);
    t.match(
      found.find(({ code }) => code === "modules"),
      { level: "degraded", text },
    );
    t.match(
      found.find(({ code }) => code === "recogniser"),
      { level: "degraded", text: /Plates are not read.*is not whole/ },
    );
    t.equal(await hub.stop(), 0);
    const { code, out } = await read(folder);
    t.equal(code, 1, "pictures are refused, and nothing crashes");
    t.match(out, /no recogniser/);
  });

for (const [name, harm] of [
  ["onnxruntime-node", garbled("onnxruntime-node")],
  [
    "sharp",
    (modules: string) => {
      garbled("@img")(modules);
      cut("sharp", "nothing")(modules);
    },
  ],
] as const)
  t.test(`${name} is garbled: nothing is read, and the reason is reported`, { skip }, async (t) => {
    const { folder } = program(t, harm);
    const { out, err } = await read(folder);
    t.match(out, name === "sharp" ? /provider error/ : /no recogniser/);
    t.match(err, name === "sharp" ? /sharp/ : /onnxruntime-node cannot be loaded/);
  });

t.test("systemd gets the notifications of a hub whose addon cannot be loaded", { skip }, async (t) => {
  const unix = createRequire(import.meta.url)("unix-dgram") as {
    createSocket(
      type: "unix_dgram",
      handler: (message: Buffer) => void,
    ): { bind(path: string): void; close(): void; on(event: "error", handler: () => void): void };
  }; // https://www.npmjs.com/package/unix-dgram
  const { folder, main } = program(t, cut("unix-dgram", ".node"));
  const short = mkdtempSync(join(tmpdir(), "notify-")); // a socket's path has 107 characters at most
  t.teardown(() => rmSync(short, { recursive: true }));
  const socket = join(short, "socket");
  const heard: string[] = [];
  const listener = unix.createSocket("unix_dgram", (message) => heard.push(...message.toString().split("\n")));
  listener.bind(socket);
  t.teardown(() => listener.close());
  const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "4000000" };
  const hub = await startHubProcess(join(folder, "data"), env, { main });
  t.teardown(() => hub.kill());
  await eventually(() => heard.includes("READY=1") && heard.includes("WATCHDOG=1"), 30_000);
  t.match(
    (await checks(hub.url)).find(({ code }) => code === "modules"),
    { text: /unix-dgram\. systemd is notified/ },
  );
  t.equal(await hub.stop(), 0);
  t.ok(heard.includes("STOPPING=1"));
});
