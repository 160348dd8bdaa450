import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import t from "tap";
import { testFolder } from "../support/test-folder.ts";

const SCRIPT = join(import.meta.dirname, "../../scripts/image/batch.mjs");
interface Batch {
  makeBatch(
    csv: string,
    common?: string,
    makeCode?: () => string,
  ): { cards: { name: string; toml: string; claimCode: string }[]; problems: string[] };
}
const { makeBatch } = (await import(SCRIPT)) as Batch; // its export, above

t.test("fifty cards from a list: one file each, no two codes alike, labels to print", async (t) => {
  const lines = Array.from({ length: 50 }, (_, i) => `villa-${i + 1},10.0.7.${i + 10}/24,10.0.7.1`);
  const folder = testFolder(t, {
    "cards.csv": `hostname,address,gateway\n${lines.join("\n")}\n`,
    "common.toml": '[wlan]\nssid = "Site, north"\npassword = "site-password"\ncountry = "IN"\n',
  });
  execFileSync(process.execPath, [
    SCRIPT,
    join(folder, "cards.csv"),
    join(folder, "out"),
    "--common",
    join(folder, "common.toml"),
  ]);
  const cards = readdirSync(join(folder, "out")).filter((name) => !["labels.csv", "manifest.json"].includes(name));
  t.equal(cards.length, 50);
  t.match(
    readFileSync(join(folder, "out/007-villa-7/gatehouse.toml"), "utf8"),
    /ssid = "Site, north"[\s\S]*hostname = "villa-7"[\s\S]*address = "10.0.7.16\/24"/,
  );
  const labels = readFileSync(join(folder, "out/labels.csv"), "utf8").trim().split("\n").slice(1);
  t.equal(new Set(labels.map((line) => line.split(",")[3])).size, 50);

  execFileSync("mkdir", [join(folder, "boot")]);
  execFileSync(process.execPath, [SCRIPT, "--card", "7", join(folder, "out"), join(folder, "boot")]);
  t.same(readdirSync(join(folder, "boot")), ["gatehouse.toml"]);
});

t.test(
  "an issued code stays, even if its card is removed from the list; sheets of labels can be printed",
  async (t) => {
    const folder = testFolder(t, {
      "cards.csv": `hostname,address,gateway\n${Array.from({ length: 26 }, (_, n) => `villa-${n + 1},,`).join("\n")}\n`,
    });
    const out = join(folder, "out");
    const run = (...args: string[]): string =>
      execFileSync(process.execPath, [SCRIPT, join(folder, "cards.csv"), out, ...args], { encoding: "utf8" });
    run();
    const manifest = (): { hostname: string; claimCode: string; listed: boolean }[] =>
      JSON.parse(readFileSync(join(out, "manifest.json"), "utf8")).cards;
    const first = manifest();
    t.equal(first.length, 26);
    writeFileSync(
      join(folder, "cards.csv"),
      `hostname,address,gateway\n${["new", ...Array.from({ length: 25 }, (_, n) => `villa-${n + 1}`)].map((name) => `${name},,`).join("\n")}\n`,
    );
    run("--labels");
    const codes = new Map(manifest().map(({ hostname, claimCode, listed }) => [hostname, { claimCode, listed }]));
    for (const { hostname, claimCode } of first)
      t.same(codes.get(hostname), { claimCode, listed: hostname !== "villa-26" });
    t.match(readFileSync(join(out, "002-villa-1/gatehouse.toml"), "utf8"), `claim_code = "${first[0]?.claimCode}"`);
    for (const name of ["manifest.json", "labels.csv", "labels.pdf", "labels-1.png", "labels-2.png"])
      t.equal(statSync(join(out, name)).mode & 0o777, 0o600, name);
    const { width, height, density } = await sharp(join(out, "labels-2.png")).metadata();
    t.same([width, height, density], [2480, 3508, 300]);
    const part = async (name: string, area: { left: number; top: number; width: number; height: number }) =>
      sharp(await sharp(join(out, name)).extract(area).toBuffer()).stats();
    const qr = await part("labels-1.png", { left: 827 - 47 - 319, top: 65, width: 319, height: 319 });
    const text = await part("labels-1.png", { left: 47, top: 60, width: 380, height: 340 });
    const blank = await part("labels-2.png", { left: 0, top: 2000, width: 2480, height: 1000 });
    t.ok((qr.channels[0]?.mean ?? 255) < 200 && (qr.channels[0]?.mean ?? 0) > 60, "a code of dark and light squares");
    t.ok((text.channels[0]?.mean ?? 255) < 252, "letters beside it");
    t.equal(blank.channels[0]?.mean, 255, "two labels on the second page");
    const pdf = readFileSync(join(out, "labels.pdf"));
    t.match(pdf.toString("latin1"), /^%PDF-1\.4[\s\S]*\/Count 2[\s\S]*%%EOF\n$/);
    const start = Number(/startxref\n(\d+)/.exec(pdf.toString("latin1"))?.[1]);
    t.equal(pdf.subarray(start, start + 4).toString(), "xref");
    for (const [, offset = ""] of pdf
      .subarray(start)
      .toString()
      .matchAll(/^(\d{10}) 00000 n/gm))
      t.match(pdf.subarray(Number(offset), Number(offset) + 12).toString(), /^\d+ 0 obj\n/);
  },
);

t.test("an error in one line: its number is reported and nothing is written", async (t) => {
  const folder = testFolder(t, {
    "cards.csv": 'hostname,address,gateway\nvilla-1,10.0.7.10/24,10.0.7.1\n"villa 2",10.0.7.11,10.0.7.1\n',
  });
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, join(folder, "cards.csv"), join(folder, "out")], {
    encoding: "utf8",
  });
  t.equal(status, 1);
  t.match(stderr, /line 3: system\.hostname[\s\S]*line 3: network\.address/);
  t.same(readdirSync(folder), ["cards.csv"]);
});

t.test("two cards with one name or address are refused; a cell overrides the common file", async (t) => {
  const { problems } = makeBatch("hostname,address,gateway\na,10.0.0.2/24,10.0.0.1\na,10.0.0.2/24,10.0.0.1\n");
  t.match(problems, [/line 3: hostname a is taken by line 2/, /line 3: address 10.0.0.2\/24 is taken by line 2/]);
  const { cards } = makeBatch(
    'hostname,claim_code,wlan.hidden\nb,,yes\nc,"ABCDE-FGHJK",\n',
    '[hub]\n[wlan]\nssid = "x"\ncountry = "IN"\nhidden = false\n',
    () => "NEW00-00000",
  );
  t.match(cards[0]?.toml, /hidden = true/);
  t.match(cards[0]?.claimCode, "NEW00-00000");
  t.match(cards[1]?.toml, /hidden = false[\s\S]*claim_code = "ABCDE-FGHJK"/);
});
