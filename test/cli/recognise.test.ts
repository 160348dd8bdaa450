import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { gatehouse } from "../support/cli.js";
import { MODELS, photographs, withoutModels } from "../support/photographs.js";

t.setTimeout(120_000);
const FIXTURES = join(MODELS, "../test/fixtures/plates");

interface Line {
  readonly file: string;
  readonly ms: number;
  readonly reason: string | null;
  readonly samples: number;
  readonly plates: readonly { readonly plate: string | null; readonly confidence: number; readonly corners: readonly number[][] }[];
}

t.test("a folder gives a table, or a line of JSON for each picture, and a broken picture stops nothing", { skip: withoutModels }, async (t) => {
  const [car, other] = await photographs();
  const folder = t.testdir({ deeper: {} });
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
  t.match(lines, [
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
  t.match(JSON.parse(burst.out.split("\n")[0] ?? ""), { file: folder, samples: 1, plates: [{ plate: car.plate }] });
});

t.test("without models, without a name and without the file there is an exit code that says so", async (t) => {
  const folder = t.testdir();
  await copyFile(join(FIXTURES, "dashcam.jpg"), join(folder, "a.jpg"));
  const none = await gatehouse(folder, ["recognise", "--json", join(folder, "a.jpg")], { env: { GATEHOUSE_MODELS: join(folder, "none") } });
  t.equal(none.code, 1);
  t.match(none.err, /there are no models/);
  t.match(JSON.parse(none.out), { reason: "no_recogniser", plates: [] });
  t.equal((await gatehouse(folder, ["recognise"])).code, 2);
  t.not((await gatehouse(folder, ["recognise", join(folder, "absent.jpg")])).code, 0);
});
