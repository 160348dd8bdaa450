import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";

const SCRIPTS = join(import.meta.dirname, "../../scripts");
const IMAGE = join(SCRIPTS, "image");
const read = (path: string) => readFileSync(join(IMAGE, path), "utf8");

t.test("every shell script of the image parses", async (t) => {
  const scripts = [
    join(SCRIPTS, "build-image.sh"),
    join(IMAGE, "init"),
    join(IMAGE, "root-files/usr/lib/gatehouse/screen"),
    join(IMAGE, "root-files/usr/lib/gatehouse/slots"),
  ];
  for (const name of readdirSync(IMAGE)) if (name.endsWith(".sh")) scripts.push(join(IMAGE, name));
  for (const script of scripts) {
    const { status, stderr } = spawnSync("sh", ["-n", script], { encoding: "utf8" });
    t.equal(status, 0, `${script} ${stderr}`);
  }
});

t.test("the image names only Debian's public addresses", async (t) => {
  const sources =
    /cat > "\$OUT\/etc\/apt\/sources\.list" <<'SOURCES'\n([\s\S]*?)\nSOURCES/.exec(read("root.sh"))?.[1] ?? "";
  const lines = sources.split("\n");
  t.equal(lines.length, 4);
  for (const line of lines)
    t.match(line, /^deb http:\/\/deb\.debian\.org\/debian(-security)? trixie(-\w+)? main non-free-firmware$/);
});

t.test("the first program of the boot and the slot tool use their two files alike", async (t) => {
  const init = read("init");
  const tool = read("box/slots.mjs");
  t.match(init, /overwrite \/boot\/slots\.txt 512/);
  t.match(tool, /CHOICE_BYTES = 512/);
  t.match(init, /overwrite \/boot\/autoboot\.txt 128/);
  t.match(tool, /AUTOBOOT_BYTES = 128/);
  for (const text of [init, tool])
    t.match(text, /\[all\]\\ntryboot_a_b=1\\nboot_partition=.*\\n\[tryboot\]\\nboot_partition=/);
  t.match(init, /good=%s\\ntrial=%s\\ntries=%s\\nfailed=%s\\n/);
});

t.test("every enabled unit exists", async (t) => {
  const lines = [...read("root.sh").matchAll(/^enable (.*)$/gm)].map(([, units]) => units ?? "");
  const names = lines.flatMap((line) => line.split(" "));
  const there = new Set([
    ...readdirSync(join(IMAGE, "root-files/etc/systemd/system")),
    ...readdirSync(join(SCRIPTS, "../systemd")),
  ]);
  t.ok(names.length >= 7, `${names.length} units`);
  for (const name of names) t.ok(there.has(name), name);
});
