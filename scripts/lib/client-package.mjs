// @ts-check
/**
 * `@gatehouse/client` as a package: compiled, with its declarations, and nothing else.
 *
 * node scripts/lib/client-package.mjs FOLDER [VERSION]   writes FOLDER/gatehouse-client-VERSION.tgz
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Builds and packs the client; answers the file. @param {string} out @param {string} version */
export function packClient(out, version) {
  const work = mkdtempSync(join(tmpdir(), "gatehouse-client-"));
  try {
    execFileSync(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "src/client/tsconfig.json"), "--outDir", work],
      {
        stdio: "inherit",
      },
    );
    for (const file of ["types.d.ts", "README.md"]) cpSync(join(root, "src/client", file), join(work, file));
    cpSync(join(root, "LICENSE"), join(work, "LICENSE"));
    const about = {
      name: "@gatehouse/client",
      version,
      description: "The API of a Gatehouse hub for apps: browser, Node, React Native. No dependencies.",
      license: "MIT",
      type: "module",
      sideEffects: false,
      exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
      types: "./index.d.ts",
      engines: { node: ">=20" },
    };
    writeFileSync(join(work, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
    mkdirSync(out, { recursive: true });
    const packed = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", out], {
      cwd: work,
      encoding: "utf8",
    });
    return join(out, packed.trim().split("\n").at(-1) ?? "");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , out, version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version] = process.argv;
  if (out === undefined) throw new Error("usage: node scripts/lib/client-package.mjs FOLDER [VERSION]");
  console.log(packClient(out, version));
}
