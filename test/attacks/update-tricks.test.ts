import { execFileSync } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { applyUpdate } from "../../src/features/updates/apply.ts";
import { openBundle } from "../../src/features/updates/bundle.ts";
import { stageUpdate } from "../../src/features/updates/stage-update.ts";
import { requestsFolder } from "../../src/features/updates/state.ts";
import { versionsStrategy } from "../../src/features/updates/strategies.ts";
import { smallDisk } from "../support/small-disk.ts";
import { testFolder } from "../support/test-folder.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const keys = [publicKey.export({ type: "spki", format: "pem" }).toString()];

interface Entry {
  readonly name: string;
  readonly content: Buffer;
  /** Size field of the header, if it differs from the content's. */
  readonly size?: string;
  /** Type of a tar entry: `0` file, `2` link, `5` folder. */
  readonly type?: string;
}

/** A tar of these entries, valid or not. */
function tar(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, content, size, type = "0" }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 100, "latin1");
    header.write("0000600\0", 100, "latin1");
    header.write(size ?? `${content.length.toString(8).padStart(11, "0")}\0`, 124, 12, "latin1");
    header.write(type, 156, "latin1");
    header.write("ustar\x0000", 257, "latin1");
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

function signed(manifest: object): Entry[] {
  const text = Buffer.from(JSON.stringify(manifest));
  return [
    { name: "manifest.json", content: text },
    { name: "manifest.sig", content: Buffer.from(sign(null, text, privateKey).toString("base64")) },
  ];
}

const payload = Buffer.from("payload");
const PAYLOAD_HASH = "239f59ed55e737c77147cf55ad0c1b030b6d7ee748a7426952f9b852d5a935e5";
const manifestOf = (version: string, name = "payload.tar.gz"): object => ({
  format: 1,
  product: "gatehouse",
  kind: "versions",
  version,
  arch: "amd64",
  builtAt: "2026-01-01T00:00:00Z",
  databaseVersion: 1,
  files: [{ name, bytes: payload.length, sha256: PAYLOAD_HASH }],
});

t.test("a signed older version is refused by the hub, and by root's part if the hub is bypassed", async (t) => {
  const root = testFolder(t);
  for (const folder of ["data", "state", "program/versions/1.1.0", "units"])
    mkdirSync(join(root, folder), { recursive: true });
  symlinkSync("versions/1.1.0", join(root, "program/current"));
  const dataFolder = join(root, "data");
  const file = join(root, "old.tar");
  for (const version of ["1.0.9", "1.1.0-rc.1", "0.9.0", "1.1.0"]) {
    writeFileSync(file, tar([...signed(manifestOf(version)), { name: "payload.tar.gz", content: payload }]));
    const target = {
      version: "1.1.0",
      arch: "amd64",
      kind: "versions" as const,
      dataFolder,
      stateFolder: join(root, "state"),
      keys: () => keys,
    };
    await t.rejects(
      stageUpdate(file, target, { phase: "none" }),
      { code: /^conflict$/, message: /older|what runs/ },
      version,
    );
    const requests = requestsFolder(dataFolder);
    writeFileSync(join(requests, "bundle.tar"), readFileSync(file));
    writeFileSync(join(requests, "update"), JSON.stringify({ kind: "install" }));
    const commands: string[] = [];
    const run = (command: string): string => {
      commands.push(command);
      return "";
    };
    const work = join(root, "state/incoming");
    const state = await applyUpdate({
      stateFolder: join(root, "state"),
      dataFolder,
      work,
      arch: "amd64",
      keys: () => keys,
      strategy: versionsStrategy({
        program: join(root, "program"),
        units: join(root, "units"),
        dataFolder,
        work,
        clock: { now: () => 0 },
        run,
      }),
      run,
      say: (line) => silentLogger.info({}, line),
      clock: { now: () => 0, mono: () => 0 },
      wait: async () => undefined,
    });
    t.match(state, { phase: /^failed$/, text: /(older|what runs).*Nothing was changed/ }, version);
    t.same(commands, [], "nothing was run for it");
    t.notOk(existsSync(work));
  }
  // A link in the hub's folder would make root copy its target.
  symlinkSync("/etc/hostname", join(requestsFolder(dataFolder), "bundle.tar"));
  writeFileSync(join(requestsFolder(dataFolder), "update"), JSON.stringify({ kind: "install" }));
  const none = versionsStrategy({
    program: join(root, "program"),
    units: join(root, "units"),
    dataFolder,
    work: join(root, "state/incoming"),
    clock: { now: () => 0 },
    run: () => "",
  });
  const state = await applyUpdate({
    stateFolder: join(root, "state"),
    dataFolder,
    work: join(root, "state/incoming"),
    arch: "amd64",
    keys: () => keys,
    strategy: none,
    run: () => "",
    say: () => undefined,
    clock: { now: () => 0, mono: () => 0 },
    wait: async () => undefined,
  });
  t.match(state, { phase: /^failed$/, text: /no update/ });
});

t.test("crafted archives are refused as bundles", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "x.tar");
  const good: Entry[] = [...signed(manifestOf("2.0.0")), { name: "payload.tar.gz", content: payload }];
  writeFileSync(file, tar(good));
  t.equal(openBundle(file, keys).manifest.version, "2.0.0");
  const [manifest, signature] = good as [Entry, Entry]; // the two that signed() makes
  const tricks: Record<string, readonly Entry[]> = {
    "a path that leads upwards": [
      ...signed(manifestOf("2.0.0", "../../etc/x")),
      { name: "../../etc/x", content: payload },
    ],
    "an absolute path": [...good, { name: "/etc/x", content: payload }],
    "a link": [...good, { name: "link", content: Buffer.alloc(0), type: "2" }],
    "a folder": [...good, { name: "folder", content: Buffer.alloc(0), type: "5" }],
    "a size below zero": [manifest, signature, { name: "payload.tar.gz", content: payload, size: "-0000001000\0" }],
    "a size that points back": [manifest, { ...signature, size: "-0000002000\0" }],
    "a size beyond the file": [
      manifest,
      signature,
      { name: "payload.tar.gz", content: payload, size: "77777777777\0" },
    ],
    "an invalid size": [manifest, signature, { name: "payload.tar.gz", content: payload, size: "xxxxxxxxxxx\0" }],
    "the same name twice": [...good, { name: "payload.tar.gz", content: payload }],
    "a manifest twice": [...good, manifest],
    "another manifest than was signed": [
      { name: "manifest.json", content: Buffer.from(JSON.stringify(manifestOf("9.9.9"))) },
      signature,
      ...good.slice(2),
    ],
    "more files than there can be": [
      ...good,
      ...Array.from({ length: 40 }, (_, index) => ({ name: `f${index}`, content: payload })),
    ],
    "a manifest of megabytes": [
      { name: "manifest.json", content: Buffer.alloc(2_000_000, "x") },
      signature,
      ...good.slice(2),
    ],
    "a file that the manifest does not name": [...good, { name: "more.bin", content: payload }],
    "no file that the manifest names": [manifest, signature],
  };
  for (const [name, entries] of Object.entries(tricks)) {
    writeFileSync(file, tar(entries));
    t.throws(() => openBundle(file, keys), { name: /^Problem$/ }, name);
  }
  execFileSync("truncate", ["-s", "1G", file]);
  t.throws(() => openBundle(file, keys), { name: /^Problem$/ }, "a sparse file");
});

t.test("an update without room for it is refused before a byte is copied, naming the space missing", async (t) => {
  const disk = smallDisk(t, 32);
  if (disk === null) {
    t.pass("skipped: this user may not mount a file system");
    return;
  }
  const file = join(testFolder(t), "new.tar");
  writeFileSync(file, tar([...signed(manifestOf("1.2.0")), { name: "payload.tar.gz", content: payload }]));
  const target = {
    version: "1.1.0",
    arch: "amd64",
    kind: "versions" as const,
    dataFolder: disk,
    stateFolder: t.testdirName,
    keys: () => keys,
  };
  const refused = { code: /^storage_full$/, message: /for the update: 65 MB have to be free/ };
  await t.rejects(stageUpdate(file, target, { phase: "none" }), refused);
  t.same(readdirSync(requestsFolder(disk)), []);
});
