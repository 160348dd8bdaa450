// @ts-check
/**
 * Release bundles: one tar that an installer unpacks and a hub accepts as an update.
 *
 * manifest.json (its identity, and the SHA-256 of every other file), manifest.sig (Ed25519 over the manifest's bytes,
 * base64), then the files. Written with fixed times and owners, so that the same inputs give the same bytes except for
 * the signature.
 */
import { execFileSync } from "node:child_process";
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import {
  createReadStream,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

/**
 * Writes a bundle.
 * @param {{ out: string, keyFile: string | null, kind: "versions" | "slot", version: string, arch: string, builtAt:
 *   number, databaseVersion: number, files: { name: string, path: string }[] }} wishes
 */
export async function writeBundle({ out, keyFile, kind, version, arch, builtAt, databaseVersion, files }) {
  const work = mkdtempSync(join(dirname(out), ".bundle-"));
  try {
    const listed = [];
    for (const { name, path } of files) {
      listed.push({ name, bytes: statSync(path).size, sha256: await hashFile(path) });
      try {
        linkSync(path, join(work, name));
      } catch {
        execFileSync("cp", [path, join(work, name)]); // another file system
      }
    }
    // One line for each file: install.sh reads it with sed.
    const lines = listed.map(
      ({ name, bytes, sha256 }) => `    { "name": "${name}", "bytes": ${bytes}, "sha256": "${sha256}" }`,
    );
    const head = {
      format: 1,
      product: "gatehouse",
      kind,
      version,
      arch,
      builtAt: new Date(builtAt).toISOString(),
      databaseVersion,
    };
    const manifest = `{\n${Object.entries(head)
      .map(([key, value]) => `  "${key}": ${JSON.stringify(value)},\n`)
      .join("")}  "files": [\n${lines.join(",\n")}\n  ]\n}\n`;
    writeFileSync(join(work, "manifest.json"), manifest);
    const signature =
      keyFile === null
        ? ""
        : sign(null, Buffer.from(manifest), createPrivateKey(readFileSync(keyFile))).toString("base64");
    writeFileSync(join(work, "manifest.sig"), `${signature}\n`);
    const names = ["manifest.json", "manifest.sig", ...files.map(({ name }) => name)];
    const mtime = `--mtime=@${Math.floor(builtAt / 1000)}`;
    execFileSync("tar", [
      "-cf",
      `${out}.part`,
      "--format=ustar",
      "--hard-dereference",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mode=u=rwX,go=rX",
      mtime,
      "-C",
      work,
      ...names,
    ]);
    renameSync(`${out}.part`, out);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The public half of a private key file, PEM. @param {string} keyFile */
export function publicKeyOf(keyFile) {
  return createPublicKey(createPrivateKey(readFileSync(keyFile)))
    .export({ type: "spki", format: "pem" })
    .toString();
}

/** @param {string} file */
async function hashFile(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
