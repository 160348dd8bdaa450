import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { recogniseCommand } from "../../src/cli/recognise.ts";
import { gatehouse } from "../support/cli.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { MODELS, photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);
const FIXTURES = join(MODELS, "../test/fixtures/plates");

interface Line {
  readonly file: string;
  readonly ms: number;
  readonly reason: string | null;
  readonly samples: number;
  readonly plates: readonly {
    readonly plate: string | null;
    readonly confidence: number;
    readonly corners: readonly number[][];
  }[];
}

t.test(
  "a folder prints a table, or a line of JSON for each picture, and a broken picture stops nothing",
  { skip: withoutModels },
  async (t) => {
    const [car, other] = await photographs();
    const folder = testFolder(t, { deeper: {} });
    await writeFile(join(folder, "1.jpg"), car.jpeg);
    await writeFile(join(folder, "2-half.jpg"), car.jpeg.subarray(0, 5_000));
    await mkdir(join(folder, "3-folder.jpg"));
    await writeFile(join(folder, "notes.txt"), "no picture");
    await writeFile(join(folder, "deeper/4.jpg"), other.jpeg);
    const json = await gatehouse(join(folder, "data"), ["recognise", "--json", folder]);
    const lines = json.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line); // the shape that the help names
    t.equal(json.code, 1, "a picture could not be read");
    t.match(json.err, /One picture could not be read/);
    t.hasStrict(lines, [
      { file: join(folder, "1.jpg"), reason: null, samples: 1, plates: [{ plate: car.plate, status: "recognised" }] },
      { file: join(folder, "2-half.jpg"), reason: "provider_error", samples: 0, plates: [] },
      { file: join(folder, "deeper/4.jpg"), reason: null, plates: [{ plate: other.plate }] },
    ]);
    t.equal(lines.length, 3);
    t.ok(lines.every(({ ms }) => ms > 0));
    const table = await gatehouse(join(folder, "data"), ["recognise", join(folder, "1.jpg"), join(folder, "deeper")]);
    t.equal(table.code, 0);
    const rows = table.out.trimEnd().split("\n");
    t.match(rows[0], /^plates +ms {2}file$/);
    t.match(rows[1], /^BR 03 AD 2586 \(\d+ %\).* \d+ {2}.*1\.jpg$/);
    t.equal(rows.length, 3);
    const burst = await gatehouse(join(folder, "data"), ["recognise", "--json", "--burst", folder]);
    t.hasStrict(JSON.parse(burst.out.split("\n")[0] ?? ""), {
      file: folder,
      samples: 1,
      plates: [{ plate: car.plate }],
    });
  },
);

t.test("a hanging recogniser is reported, and does not keep the command from ending", async (t) => {
  const folder = testFolder(t, { "a.jpg": "" });
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  await writeFile(join(folder, "a.jpg"), pipe);
  const { out, err, signal } = await ended(
    spawn(process.execPath, [join(import.meta.dirname, "blocked-process.ts"), join(folder, "a.jpg")]),
  );
  t.hasStrict(JSON.parse(out), { reason: "timeout", plates: [] });
  t.match(err, /could not be read.*\n.*hangs and is left behind/);
  t.equal(signal, "SIGKILL", "native code cannot be interrupted otherwise");
});

t.test("interrupted in the middle of a picture, it ends at once and silently", { skip: withoutModels }, async (t) => {
  const folder = testFolder(t);
  const [{ jpeg }] = await photographs();
  for (let n = 0; n < 40; n++) await writeFile(join(folder, `${n}.jpg`), jpeg);
  const env = {
    PATH: process.env.PATH ?? "",
    GATEHOUSE_DATA: join(folder, "data"),
  };
  for (const waitMs of [0, 10, 20]) {
    const child = spawn(
      process.execPath,
      [join(PROJECT_ROOT, "scripts/gatehouse.mjs"), "recognise", "--json", folder],
      { env },
    );
    child.stdout.once("data", () => setTimeout(() => child.kill("SIGINT"), waitMs));
    t.match(await ended(child), { code: null, signal: "SIGINT", err: "" });
  }
});

t.test("once the output is closed, the current picture is the last", { skip: withoutModels }, async (t) => {
  const folder = testFolder(t);
  const [{ jpeg }] = await photographs();
  for (let n = 0; n < 5; n++) await writeFile(join(folder, `${n}.jpg`), jpeg);
  const lines: string[] = [];
  let stop = (): void => undefined;
  const code = await recogniseCommand.run(["--json", folder], {
    env: { GATEHOUSE_DATA: join(folder, "data") },
    out: (text) => {
      if (lines.push(text) === 2) stop();
    },
    err: (text) => t.fail(text),
    readInput: async () => "",
    projectFolder: PROJECT_ROOT,
    version: "0.0.0",
    whenUnread: (callback) => {
      stop = callback;
    },
    leave: () => t.fail("every thread has ended"),
  });
  t.same([code, lines.length], [0, 2]);
  const closed = spawn(process.execPath, [join(PROJECT_ROOT, "scripts/gatehouse.mjs"), "recognise", "--json", folder], {
    env: {
      PATH: process.env.PATH ?? "",
      GATEHOUSE_DATA: join(folder, "data"),
    },
  });
  closed.stdout.once("data", () => closed.stdout.destroy());
  t.match(await ended(closed), { code: 0, signal: null, err: "" });
});

/** The output of a process, and how it ended. */
function ended(
  child: ChildProcessWithoutNullStreams,
): Promise<{ code: number | null; signal: string | null; out: string; err: string }> {
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err += String(chunk)));
  return new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, out, err })));
}

t.test("missing models, name or file each have an exit code", async (t) => {
  const folder = testFolder(t);
  await copyFile(join(FIXTURES, "dashcam.jpg"), join(folder, "a.jpg"));
  const none = await gatehouse(folder, ["recognise", "--json", join(folder, "a.jpg")], {
    env: { GATEHOUSE_MODELS: join(folder, "none") },
  });
  t.equal(none.code, 1);
  t.match(none.err, /there are no models/);
  t.hasStrict(JSON.parse(none.out), { reason: "no_recogniser", plates: [] });
  t.equal((await gatehouse(folder, ["recognise"])).code, 2);
  t.not((await gatehouse(folder, ["recognise", join(folder, "absent.jpg")])).code, 0);
});
