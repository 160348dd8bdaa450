/**
 * Whatever lies in the data folder is met at every start: a pipe holds up whoever opens it, and one such reader is a hub
 * that hangs. What the hub keeps is read through src/kernel/small-file.ts; who opens files otherwise is named here, with
 * what those files are.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { Spool } from "../../src/cameras/spool.js";
import { readEstateConfig } from "../../src/estate/config.js";
import { EstateAuthority } from "../../src/estate-setup/authority.js";
import { PlateImageFiles } from "../../src/gate/images.js";
import { silentLogger } from "../../src/kernel/logger.js";
import { expectSmallFile, openWholeFile, readWholeFile, smallFileText } from "../../src/kernel/small-file.js";
import { PROJECT_ROOT } from "../support/database.js";

const OPENS = ["readFile", "readFileSync", "createReadStream", "openSync", "open"];
const OTHERS: Readonly<Record<string, string>> = {
  "src/backups/pack.ts": "writes what it has unpacked, and syncs folders",
  "src/backups/uploads.ts": "makes the file of an upload",
  "src/cameras/spool.ts": "writes pictures",
  "src/cli/doctor-network.ts": "the system's own: /proc and /sys",
  "src/cli/fleet/hosts.ts": "files that a person names",
  "src/cli/provision-command.ts": "files that a person names",
  "src/composition/box-parts.ts": "the system's own: /proc",
  "src/estate-setup/invitations.ts": "makes a claim",
  "src/gate/images.ts": "writes pictures",
  "src/http/answer-writer.ts": "files that the backups were asked for, in their own folder",
  "src/http/console-files.ts": "the program's own",
  "src/kernel/native-modules.ts": "the program's own",
  "src/kernel/small-file.ts": "this is the reader",
  "src/kernel/steady-file.ts": "writes a file",
  "src/kernel/write-file-atomic.ts": "writes files",
  "src/main.ts": "the program's own",
  "src/matter/stale-locks.ts": "the system's own: /proc",
  "src/platform/board.ts": "the system's own: /proc and /sys",
  "src/platform/card.ts": "the system's own: /proc and /sys",
  "src/platform/clock-trust.ts": "the system's own: /proc and /sys",
  "src/platform/disk.ts": "the system's own: /proc",
  "src/platform/hub-clock.ts": "the system's own: /proc",
  "src/platform/kept-program.ts": "the program's own; what is kept of it is opened by the reader",
  "src/platform/system-clock.ts": "the system's own: /proc",
  "src/recognition/models.ts": "the program's own",
  "src/recognition/recognise-files.ts": "files that a person names",
  "src/sandbox/demo.ts": "the program's own",
  "src/storage/fallback-database.ts": "a copy that it has made itself",
  "src/storage/folder-lock.ts": "makes the lock's file; asks the system for its mounts",
  "src/storage/log-file.ts": "the log of an open database, whose kind src/storage/open-file.ts has asked for",
  "src/storage/migrate.ts": "the program's own",
  "src/storage/open-file.ts": "makes the database's file, once its kind is known",
  "src/storage/snapshot.ts": "the log of an open database, whose kind src/storage/open-file.ts has asked for",
  "src/updates/bundle.ts": "a bundle that a person names, and keys of the program",
  "src/updates/user-version.ts": "the database before an update, by root's part",
};

function opens(text: string): boolean {
  return [...text.matchAll(/import \{([^}]*)\} from "node:fs(?:\/promises)?"/g)].some(([, names = ""]) =>
    names.split(",").some((name) => OPENS.includes(name.trim())),
  );
}

t.test("what the hub keeps is opened by the one reader", async (t) => {
  const found = readdirSync(join(PROJECT_ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("console/"))
    .map((name) => `src/${name}`)
    .filter((name) => opens(readFileSync(join(PROJECT_ROOT, name), "utf8")));
  t.same(
    found.filter((name) => OTHERS[name] === undefined),
    [],
    "read it through src/kernel/small-file.ts, or say here what it opens",
  );
  t.same(
    Object.keys(OTHERS).filter((name) => !found.includes(name)),
    [],
    "these open nothing any more",
  );
  t.ok(opens('import { join, readFileSync } from "node:fs";'), "a reader would be found");
});

t.test("a pipe in the place of a file holds up nobody", { timeout: 60_000 }, async (t) => {
  const folder = t.testdir();
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
  t.match(left, { deviceId: "cam", closing: {}, frames: [0, 1] }, "closed, but what it said is lost");
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
