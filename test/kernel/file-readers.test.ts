/**
 * Anything in the data folder is read at every start: opening a pipe blocks, and one such reader is a hub that hangs.
 * The hub's own files are read through src/core/kernel/small-file.ts; any other opener is named here, with its files.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { expectSmallFile, openWholeFile, readWholeFile, smallFileText } from "../../src/core/kernel/small-file.ts";
import { Spool } from "../../src/features/cameras/spool.ts";
import { readEstateConfig } from "../../src/features/estate/config.ts";
import { EstateAuthority } from "../../src/features/estate/setup/authority.ts";
import { PlateImageFiles } from "../../src/features/gate/images.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const OPENS = ["readFile", "readFileSync", "createReadStream", "openSync", "open"];
const OTHERS: Readonly<Record<string, string>> = {
  "src/features/access/routes/authority.ts": "the program's own",
  "src/features/backups/pack.ts": "writes what it has unpacked, and syncs folders",
  "src/features/backups/uploads.ts": "makes the file of an upload",
  "src/features/cameras/spool.ts": "writes pictures",
  "src/cli/doctor-network.ts": "the system's own: /proc and /sys",
  "src/cli/fleet/hosts.ts": "files that a person names",
  "src/cli/provision-command.ts": "files that a person names",
  "src/features/backups/feature.ts": "the system's own: /proc",
  "src/features/estate/setup/invitations.ts": "makes a claim",
  "src/features/gate/images.ts": "writes pictures",
  "src/core/http/answer-writer.ts": "files that the backups were asked for, in their own folder",
  "src/core/http/console-files.ts": "the program's own",
  "src/core/kernel/native-modules.ts": "the program's own",
  "src/core/kernel/small-file.ts": "this is the reader",
  "src/core/kernel/steady-file.ts": "writes a file",
  "src/core/kernel/write-file-atomic.ts": "writes files",
  "src/main.ts": "the program's own",
  "src/features/matter/stale-locks.ts": "the system's own: /proc",
  "src/core/platform/board.ts": "the system's own: /proc and /sys",
  "src/core/platform/card.ts": "the system's own: /proc and /sys",
  "src/core/platform/clock-trust.ts": "the system's own: /proc and /sys",
  "src/core/platform/disk.ts": "the system's own: /proc",
  "src/core/platform/hub-clock.ts": "the system's own: /proc",
  "src/core/platform/kept-program.ts": "the program's own; what is kept of it is opened by the reader",
  "src/core/platform/system-clock.ts": "the system's own: /proc",
  "src/features/recognition/models.ts": "the program's own",
  "src/features/recognition/recognise-files.ts": "files that a person names",
  "src/features/sandbox/demo.ts": "the program's own",
  "src/core/storage/fallback-database.ts": "a copy that it has made itself",
  "src/core/storage/folder-lock.ts": "makes the lock's file; asks the system for its mounts",
  "src/core/storage/log-file.ts": "the log of an open database, whose kind src/core/storage/open-file.ts has asked for",
  "src/core/storage/migrate.ts": "the program's own",
  "src/core/storage/open-file.ts": "makes the database's file, once its kind is known",
  "src/core/storage/snapshot.ts": "the log of an open database, whose kind src/core/storage/open-file.ts has asked for",
  "src/features/updates/bundle.ts": "a bundle that a person names, and keys of the program",
  "src/features/updates/user-version.ts": "the database before an update, by root's part",
};

function opens(text: string): boolean {
  return [...text.matchAll(/import \{([^}]*)\} from "node:fs(?:\/promises)?"/g)].some(([, names = ""]) =>
    names.split(",").some((name) => OPENS.includes(name.trim())),
  );
}

t.test("the hub's own files are opened by one reader", async (t) => {
  const found = readdirSync(join(PROJECT_ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("console/"))
    .map((name) => `src/${name}`)
    .filter((name) => opens(readFileSync(join(PROJECT_ROOT, name), "utf8")));
  t.same(
    found.filter((name) => OTHERS[name] === undefined),
    [],
    "read it through src/core/kernel/small-file.ts, or list here what it opens",
  );
  t.same(
    Object.keys(OTHERS).filter((name) => !found.includes(name)),
    [],
    "these no longer open anything",
  );
  t.ok(opens('import { join, readFileSync } from "node:fs";'), "a reader would be found");
});

t.test("a pipe in the place of a file blocks no one", { timeout: 60_000 }, async (t) => {
  const folder = testFolder(t);
  const pipe = (...names: string[]): string => {
    const file = join(folder, ...names);
    mkdirSync(join(file, ".."), { recursive: true });
    execFileSync("mkfifo", [file]);
    return file;
  };
  const file = pipe("pipe");
  t.equal(smallFileText(file), null);
  for (const read of [expectSmallFile, openWholeFile]) t.throws(() => read(file), { code: "pipe", path: file });
  await t.rejects(readWholeFile(file), { code: "pipe" });
  await t.rejects(readWholeFile(folder), { code: "folder" });
  await t.rejects(readWholeFile(join(folder, "nothing")), { code: "ENOENT" });
  pipe("spool", "cam", "n7.1", "done.json");
  pipe("spool", "cam", "n7.1", "0.jpg");
  writeFileSync(join(folder, "spool", "cam", "n7.1", "1.jpg"), "a picture");
  const spool = new Spool(join(folder, "spool"));
  const [left] = await spool.recover(silentLogger);
  t.match(left, { deviceId: "cam", closing: {}, frames: [0, 1] }, "closed, but its message is lost");
  await t.rejects(spool.frames("cam", "n7.1"), { code: "pipe" }, "the capture is kept for later, and logged");
  const images = new PlateImageFiles(join(folder, "images"));
  await images.write(1, Buffer.from("a picture"));
  const [kept = ""] = readdirSync(join(folder, "images"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jpg"),
  );
  execFileSync("rm", [join(folder, "images", kept)]);
  pipe("images", kept);
  await t.rejects(images.read(1), { code: "unreadable_file" });
  pipe("estate", "estate.json");
  t.throws(() => readEstateConfig(folder), /estate\.json cannot be used \(pipe\)/);
  pipe("keys", "authority.json");
  await t.rejects(EstateAuthority.open(join(folder, "keys")), { code: "pipe" });
});
