import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import t from "tap";
import { testFolder } from "../support/test-folder.ts";

const PROGRAM = join(import.meta.dirname, "..", "support", "automation-process.ts");

/** A real process with automations on a database file. */
class Process {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  private constructor(child: ChildProcess, lines: Interface) {
    this.#child = child;
    this.#lines = lines;
  }

  static async start(folder: string, wallOffsetMs = 0): Promise<Process> {
    const child = spawn(process.execPath, [PROGRAM, folder, String(wallOffsetMs)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    if (child.stdout === null) throw new Error("no output to read");
    const started = new Process(child, createInterface({ input: child.stdout }));
    await once(started.#lines, "line");
    return started;
  }

  /** Sends an order and waits until its effects are on disk. */
  async order(order: object): Promise<void> {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    await once(this.#lines, "line");
  }

  /** Ends it like a power cut. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

function commands(folder: string): string[] {
  const file = join(folder, "commands");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Starts the process once more, lets it finish what it considers pending, and kills it. */
async function startAgain(folder: string, wallOffsetMs = 0): Promise<void> {
  const again = await Process.start(folder, wallOffsetMs);
  await again.order({ state: { power: true }, initial: true, waitMs: 300 });
  await again.kill();
}

t.setTimeout(100_000); // eleven processes start one after the other

const lamp = { type: "command", deviceId: "lamp", command: { power: true } };
const on = { type: "state", deviceId: "plug", field: "power", op: "truthy" };

t.test("a process killed in the middle of a hold time: it fires once after the restart", async (t) => {
  const folder = testFolder(t);
  const first = await Process.start(folder);
  await first.order({ rule: { name: "Hold", trigger: { ...on, forSeconds: 3 }, action: lamp } });
  await first.order({ state: { power: true } });
  await first.kill();
  t.same(commands(folder), []);
  const second = await Process.start(folder);
  await second.order({ state: { power: true }, initial: true });
  await until(() => commands(folder).length > 0);
  await second.order({ state: { other: 1 } });
  await second.kill();
  await startAgain(folder);
  t.same(commands(folder), ["lamp"]);
});

t.test("a process killed in the middle of a delay: the next step is done once", async (t) => {
  const folder = testFolder(t);
  const first = await Process.start(folder);
  const actions = [
    { ...lamp, deviceId: "first" },
    { type: "delay", seconds: 1 },
    { ...lamp, deviceId: "second" },
    { type: "delay", seconds: 1 },
    { ...lamp, deviceId: "third" },
  ];
  await first.order({ rule: { name: "Delay", trigger: on, action: { type: "sequence", actions } } });
  await first.order({ state: { power: true } });
  await first.kill();
  t.same(commands(folder), ["first"]);
  const second = await Process.start(folder, 600_000); // ten minutes of darkness
  await until(() => commands(folder).length === 3);
  await second.order({ state: { other: 1 } });
  await second.kill();
  await startAgain(folder, 600_000);
  t.same(commands(folder), ["first", "second", "third"]);
});

t.test(
  "a process killed before 07:00 and started at 07:10: the schedule runs once; started at 09:00 it does not",
  async (t) => {
    const folder = testFolder(t);
    const wall = (text: string): number => Date.parse(text) - Date.now();
    const first = await Process.start(folder, wall("2027-03-02T06:58:00Z"));
    await first.order({ rule: { name: "Seven", trigger: { type: "time", at: "07:00" }, action: lamp } });
    await first.kill();
    await startAgain(folder, wall("2027-03-02T07:10:00Z"));
    t.same(commands(folder), ["lamp"]);
    await startAgain(folder, wall("2027-03-03T09:00:00Z"));
    t.same(commands(folder), ["lamp"]);
    await startAgain(folder, wall("2027-03-04T07:14:00Z"));
    t.same(commands(folder), ["lamp", "lamp"]);
  },
);
