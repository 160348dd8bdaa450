import { createSocket } from "node:dgram";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { MatterHost } from "../../src/features/matter/host.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

/** Of the bundle, if there is one: tests run what runs in houses. */
const BUNDLED = join(PROJECT_ROOT, "build-hub/src/matter-process.js");
const PROGRAM = existsSync(BUNDLED) ? { program: pathToFileURL(BUNDLED) } : {};

/** Resolves once `met` holds. */
async function until(met: () => boolean, what: string): Promise<void> {
  const start = performance.now();
  while (!met()) {
    if (performance.now() - start > 30_000) throw new Error(`waited too long: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

t.test("the process runs while Matter is switched on, restarts after its end, and ends with the switch", async (t) => {
  const dataFolder = testFolder(t);
  const wished = { on: false };
  const host = new MatterHost({
    dataFolder,
    folder: join(dataFolder, "matter"),
    ...PROGRAM,
    wanted: () => wished.on,
    start: () => ({
      port: 0,
      networkInterface: "lo",
      logLevel: "error",
      version: "1.0.0",
      serial: "0123456789abcdef",
    }),
    clock: systemClock,
    logger: silentLogger,
  });
  t.teardown(() => host.stop());
  await host.start();
  await host.refresh();
  t.equal(host.state.state, "off", "nothing is started unless wanted");
  t.equal(host.state.pid, null);
  wished.on = true;
  await host.refresh();
  await until(() => host.state.state === "running" && host.state.rssBytes !== null, "the process runs");
  const first = host.state.pid ?? 0;
  t.ok(isAlive(first));
  t.equal(statSync(join(dataFolder, "matter")).mode & 0o777, 0o700, "its folder is its owner's alone");
  process.kill(first, "SIGKILL");
  await until(() => host.state.state === "waiting", "its end is seen");
  t.match(host.state, { restarts: 1, reason: /SIGKILL/, pid: null });
  await until(() => host.state.state === "running", "it runs again");
  t.not(host.state.pid, first);
  const second = host.state.pid ?? 0;
  wished.on = false;
  await host.refresh();
  t.match(host.state, { state: "off", pid: null, rssBytes: null });
  t.notOk(isAlive(second), "it ended");
});

t.test("a taken port: the bridge reports it, and opens once it is free", async (t) => {
  const other = createSocket("udp6");
  await new Promise<void>((resolve) => other.bind(0, () => resolve()));
  const { port } = other.address();
  const dataFolder = testFolder(t);
  const host = new MatterHost({
    dataFolder,
    folder: join(dataFolder, "matter"),
    ...PROGRAM,
    wanted: () => true,
    start: () => ({ port, networkInterface: "lo", logLevel: "error", version: "1.0.0", serial: "0123456789abcdef" }),
    clock: systemClock,
    logger: silentLogger,
  });
  t.teardown(() => host.stop());
  await host.start();
  await host.refresh();
  await until(() => host.state.state === "running", "the process runs");
  const open = () => host.call("bridge.put", { endpoints: [], only: true }, 60_000);
  await t.rejects(open(), { message: /port is already in use/ });
  await new Promise<void>((resolve) => other.close(() => resolve()));
  t.match(await open(), { port }, "the same process opens it");
});

t.test("a compromised process can neither end the hub by its messages nor fill its memory", async (t) => {
  const says = {
    "no message": ['"nonsense\\n"', /no message/],
    "half a message": ['"[".repeat(1000) + "\\n"', /no message/],
    "a line without an end": ['"x".repeat(5_000_000)', /without an end/],
  } as const;
  for (const [name, [text, reason]] of Object.entries(says)) {
    const dataFolder = testFolder(t, { "program.mjs": program(`socket.write(${text});`) });
    const host = hostOf(dataFolder);
    t.teardown(() => host.stop());
    await host.start();
    await until(() => host.state.state === "waiting", name);
    t.match(host.state, { restarts: 1, reason }, "it is ended, and restarted later");
    await host.stop();
  }
  const odd = ["null", "5", "[]", "{}", '{"ask":1,"name":"__proto__"}', '{"re":99}', '{"cmd":"NODE_HANDLE"}'];
  // the answer to the hub's first question comes after them
  const answer = '{"re":1,"result":null}';
  const dataFolder = testFolder(t, {
    "program.mjs": program(`socket.write(${JSON.stringify(`${[...odd, answer].join("\n")}\n`)});`),
  });
  const host = hostOf(dataFolder);
  t.teardown(() => host.stop());
  await host.start();
  await until(() => host.state.state === "running", "messages that mean nothing are passed over");
  await host.stop();
});

/** A program in place of the Matter process: `says` is what it does once asked to start. */
function program(says: string): string {
  return `import { Socket } from "node:net";
const socket = new Socket({ fd: 3 });
socket.on("error", () => {});
socket.on("close", () => process.exit(0));
socket.once("data", () => { ${says} });`;
}

function hostOf(dataFolder: string): MatterHost {
  return new MatterHost({
    dataFolder,
    folder: join(dataFolder, "matter"),
    program: pathToFileURL(join(dataFolder, "program.mjs")),
    wanted: () => true,
    start: () => ({ port: 0, networkInterface: "lo", logLevel: "error", version: "1.0.0", serial: "0123456789abcdef" }),
    clock: systemClock,
    logger: silentLogger,
  });
}
