import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { loadHubKey } from "../../src/access/hub-key.js";

t.test("the key is made once, is private, and opens what it sealed under the same context only", async (t) => {
  const folder = t.testdir();
  const sealed = loadHubKey(folder).seal(Buffer.from("secret"), "totp 1");
  t.equal(statSync(join(folder, "hub.key")).mode & 0o777, 0o600);
  const again = loadHubKey(folder);
  t.equal(again.open(sealed, "totp 1").toString(), "secret");
  t.throws(() => again.open(sealed, "totp 2"), { code: "unavailable" });
  const empty = again.seal(Buffer.alloc(0), "totp 1");
  t.equal(again.open(empty, "totp 1").length, 0);
  for (const length of [16, 20, 27])
    t.throws(() => again.open(empty.subarray(0, length), "totp 1"), { code: "unavailable" }, "a part of its tag");
  t.throws(() => loadHubKey(t.testdir({ other: {} })).open(sealed, "totp 1"), { code: "unavailable" });
});

t.test("a file that is no key is refused with what to do", async (t) => {
  const folder = t.testdir();
  writeFileSync(join(folder, "hub.key"), "short");
  t.throws(() => loadHubKey(folder), { code: "unavailable", hint: /backup/ });
});

t.test("a key that cannot be read is set aside, never replaced by a new one: its copy takes its place", (t) => {
  const harms: Record<string, (file: string) => void> = {
    "no key": (file) => writeFileSync(file, "short"),
    "a folder": (file) => mkdirSync(file),
    // the system names no file and no reason to think that there is none, as on a disk whose inode is bad
    "an error": (file) => symlinkSync(file, file),
  };
  for (const [name, harm] of Object.entries(harms)) {
    const folder = t.testdir();
    const file = join(folder, "hub.key");
    const sealed = loadHubKey(folder).seal(Buffer.from("secret"), "totp 1");
    const before = readFileSync(file);
    t.equal(statSync(join(folder, "hub.key.copy")).mode & 0o777, 0o600);
    rmSync(file);
    harm(file);
    t.equal(loadHubKey(folder).open(sealed, "totp 1").toString(), "secret", name);
    t.same(readFileSync(file), before, "backups have it again");
    t.ok(readdirSync(folder).includes("hub.key.unusable"), "what lay there is kept");

    rmSync(join(folder, "hub.key.copy"));
    rmSync(file);
    harm(file);
    t.throws(() => loadHubKey(folder), { code: "unavailable", hint: /backup/ }, `${name}, without a copy`);
  }
  const folder = t.testdir();
  const sealed = loadHubKey(folder).seal(Buffer.from("secret"), "totp 1");
  rmSync(join(folder, "hub.key"));
  t.equal(loadHubKey(folder).open(sealed, "totp 1").toString(), "secret", "as after a power cut while it is set aside");
  t.same(readFileSync(join(folder, "hub.key")), readFileSync(join(folder, "hub.key.copy")));

  rmSync(join(folder, "hub.key"));
  writeFileSync(join(folder, "hub.key.copy"), "short");
  t.throws(() => loadHubKey(folder).open(sealed, "totp 1"), { code: "unavailable" }, "where both are gone, a new one");
  t.same(
    readFileSync(join(folder, "hub.key")),
    readFileSync(join(folder, "hub.key.copy")),
    "another key, another copy",
  );
  t.end();
});
