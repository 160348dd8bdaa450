import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";

const SCRIPT = join(import.meta.dirname, "../../../scripts/image/batch.mjs");
interface Batch {
  makeBatch(csv: string, common?: string, makeCode?: () => string): { cards: { name: string; toml: string; claimCode: string }[]; problems: string[] };
}
const { makeBatch } = (await import(SCRIPT)) as Batch; // its export, above

t.test("fifty cards from a list: one file each, no two codes alike, labels to print", async (t) => {
  const lines = Array.from({ length: 50 }, (_, i) => `villa-${i + 1},10.0.7.${i + 10}/24,10.0.7.1`);
  const folder = t.testdir({
    "cards.csv": `hostname,address,gateway\n${lines.join("\n")}\n`,
    "common.toml": '[wlan]\nssid = "Site, north"\npassword = "site-password"\ncountry = "IN"\n',
  });
  execFileSync(process.execPath, [SCRIPT, join(folder, "cards.csv"), join(folder, "out"), "--common", join(folder, "common.toml")]);
  const cards = readdirSync(join(folder, "out")).filter((name) => name !== "labels.csv");
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

t.test("a mistake in one line: its number is said and nothing is written", async (t) => {
  const folder = t.testdir({ "cards.csv": 'hostname,address,gateway\nvilla-1,10.0.7.10/24,10.0.7.1\n"villa 2",10.0.7.11,10.0.7.1\n' });
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, join(folder, "cards.csv"), join(folder, "out")], { encoding: "utf8" });
  t.equal(status, 1);
  t.match(stderr, /line 3: system\.hostname[\s\S]*line 3: network\.address/);
  t.same(readdirSync(folder), ["cards.csv"]);
});

t.test("two cards with one name or address are refused; a cell counts more than the common file", async (t) => {
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
