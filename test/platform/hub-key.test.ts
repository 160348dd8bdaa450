import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { FileTroubles } from "../../src/core/kernel/file-troubles.ts";
import { keyProof, loadHubKey } from "../../src/core/platform/hub-key.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("the key is made once, is private, and decrypts what it sealed under the same context only", async (t) => {
  const folder = testFolder(t);
  const sealed = loadHubKey(folder).seal(Buffer.from("secret"), "totp 1");
  t.equal(statSync(join(folder, "hub.key")).mode & 0o777, 0o600);
  const again = loadHubKey(folder);
  t.equal(again.open(sealed, "totp 1").toString(), "secret");
  t.throws(() => again.open(sealed, "totp 2"), { code: /^unavailable$/ });
  const empty = again.seal(Buffer.alloc(0), "totp 1");
  t.equal(again.open(empty, "totp 1").length, 0);
  for (const length of [16, 20, 27])
    t.throws(() => again.open(empty.subarray(0, length), "totp 1"), { code: /^unavailable$/ }, "a part of its tag");
  t.throws(() => loadHubKey(testFolder(t, { other: {} })).open(sealed, "totp 1"), { code: /^unavailable$/ });
});

t.test(
  "if neither file nor copy is a key the hub serves with a new one, reports it, and keeps the old files",
  async (t) => {
    // It used to refuse to start: a hub that cannot decrypt its secrets still has a gate to open.
    const folder = testFolder(t);
    writeFileSync(join(folder, "hub.key"), "short");
    const troubles = new FileTroubles();
    loadHubKey(folder, { troubles });
    t.hasStrict(troubles.all, [{ file: "hub.key", reason: "content", instead: "anew" }]);
    t.equal(readFileSync(join(folder, "hub.key.unusable"), "utf8"), "short");
    const gone = new FileTroubles();
    loadHubKey(testFolder(t, { other: {} }), { troubles: gone, isExpected: () => true });
    t.hasStrict(gone.all, [{ file: "hub.key", reason: "missing", instead: "anew" }], "nor is a loss silent");
  },
);

t.test("a flipped bit never costs a key: a verified one counts, and no good copy is overwritten", async (t) => {
  for (const isOld of [false, true])
    for (const name of ["hub.key", "hub.key.copy"]) {
      for (let bit = 0; bit < 44 * 8; bit += 5) {
        const folder = testFolder(t);
        const key = loadHubKey(folder);
        const sealed = key.seal(Buffer.from("secret"), "totp 1");
        const proof = keyProof(key);
        if (isOld)
          for (const file of ["hub.key", "hub.key.copy"])
            writeFileSync(join(folder, file), `${readFileSync(join(folder, file), "utf8").split("\n")[0]}\n`);
        const bytes = readFileSync(join(folder, name));
        bytes.writeUInt8((bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
        writeFileSync(join(folder, name), bytes);
        const troubles = new FileTroubles();
        const again = loadHubKey(folder, { proof: () => proof, troubles });
        if (again.open(sealed, "totp 1").toString() !== "secret") t.fail(`${name}, bit ${bit}`);
        if (name === "hub.key" && troubles.all.length === 0) t.fail(`nothing was reported for bit ${bit}`);
        if (loadHubKey(folder).open(sealed, "totp 1").toString() !== "secret") t.fail(`${name}, bit ${bit}, later`);
      }
    }
  t.pass();
});

t.test("of two intact keys that differ, with no proof for either, neither is overwritten", async (t) => {
  const folder = testFolder(t);
  loadHubKey(folder);
  const other = testFolder(t, { other: {} });
  loadHubKey(other);
  const copy = readFileSync(join(other, "hub.key"));
  writeFileSync(join(folder, "hub.key.copy"), copy);
  loadHubKey(folder);
  t.same(readFileSync(join(folder, "hub.key.copy")), copy);
});

t.test("an unreadable key is set aside, never replaced by a new one: its copy takes its place", (t) => {
  const harms: Record<string, (file: string) => void> = {
    "no key": (file) => writeFileSync(file, "short"),
    "a folder": (file) => mkdirSync(file),
    // the system neither finds the file nor reports it missing, as on a disk with a bad inode
    "an error": (file) => symlinkSync(file, file),
  };
  for (const [name, harm] of Object.entries(harms)) {
    const folder = testFolder(t);
    const file = join(folder, "hub.key");
    const sealed = loadHubKey(folder).seal(Buffer.from("secret"), "totp 1");
    const before = readFileSync(file);
    t.equal(statSync(join(folder, "hub.key.copy")).mode & 0o777, 0o600);
    rmSync(file);
    harm(file);
    t.equal(loadHubKey(folder).open(sealed, "totp 1").toString(), "secret", name);
    t.same(readFileSync(file), before, "backups have it again");
    t.ok(readdirSync(folder).includes("hub.key.unusable"), "the old file is kept");

    rmSync(join(folder, "hub.key.copy"));
    rmSync(file);
    harm(file);
    const troubles = new FileTroubles();
    loadHubKey(folder, { troubles });
    t.match(troubles.all, [{ file: "hub.key", instead: "anew" }], `${name}, without a copy`);
  }
  const folder = testFolder(t);
  const sealed = loadHubKey(folder).seal(Buffer.from("secret"), "totp 1");
  rmSync(join(folder, "hub.key"));
  t.equal(loadHubKey(folder).open(sealed, "totp 1").toString(), "secret", "as after a power cut while it is set aside");
  t.same(readFileSync(join(folder, "hub.key")), readFileSync(join(folder, "hub.key.copy")));

  rmSync(join(folder, "hub.key"));
  writeFileSync(join(folder, "hub.key.copy"), "short");
  t.throws(() => loadHubKey(folder).open(sealed, "totp 1"), { code: /^unavailable$/ }, "with both gone, a new one");
  t.same(
    readFileSync(join(folder, "hub.key")),
    readFileSync(join(folder, "hub.key.copy")),
    "another key, another copy",
  );
  t.end();
});
