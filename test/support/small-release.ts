import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "./database.ts";

const { writeBundle } = (await import(join(PROJECT_ROOT, "scripts/lib/bundle.mjs"))) as {
  writeBundle: (wishes: object) => Promise<void>;
}; // plain JavaScript
const arch = process.arch === "x64" ? "amd64" : process.arch;

/**
 * An unpacked release of a small program, beside its file `gatehouse-VERSION.tar`; the installer, the units and the
 * signature are the real ones.
 */
export async function release(folder: string, version: string, keyFile: string): Promise<string> {
  const tree = join(folder, `tree-${version}`);
  for (const path of ["bin", "build/src", "scripts", "src/core/storage/migrations"])
    mkdirSync(join(tree, path), { recursive: true });
  symlinkSync(process.execPath, join(tree, "bin/node"));
  writeFileSync(join(tree, "build/src/main.js"), version);
  writeFileSync(join(tree, "release.pub"), execFileSync("openssl", ["pkey", "-in", join(folder, "key"), "-pubout"]));
  cpSync(join(PROJECT_ROOT, "systemd"), join(tree, "systemd"), { recursive: true });
  const payload = join(folder, "payload.tar.gz");
  execFileSync("tar", ["-czf", payload, "-C", tree, "."]);
  const out = join(folder, `gatehouse-${version}.tar`);
  const files = [
    { name: "install.sh", path: join(PROJECT_ROOT, "scripts/install.sh") },
    { name: "payload.tar.gz", path: payload },
  ];
  await writeBundle({
    out,
    keyFile,
    kind: "versions",
    version,
    arch,
    builtAt: 1_700_000_000_000,
    databaseVersion: 1,
    files,
  });
  const unpacked = join(folder, `release-${version}-${keyFile.split("/").at(-1)}`);
  mkdirSync(unpacked);
  execFileSync("tar", ["-xf", out, "-C", unpacked]);
  return unpacked;
}
