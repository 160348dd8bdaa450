// @ts-check
/**
 * Which changes the compiler refuses: they cannot go unnoticed, and need no test (Stryker's TypeScript checker leaves
 * them out too). All are compiled at once, each as a separate file beside the one it changes; effects of a changed type
 * on other files are not checked.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { root } from "../prepare.mjs";
import { MEMORY } from "./trees.mjs";

/** @typedef {import("./mutants.mjs").Mutant} Mutant */

/**
 * @param {Mutant[]} mutants
 * @returns {Set<Mutant>} those that the compiler refuses
 */
export function refusedByCompiler(mutants) {
  const place = mkdtempSync(join(MEMORY, "gatehouse-compile-"));
  try {
    for (const name of ["src", "firmware-bridge"])
      cpSync(join(root, name), join(place, name), { recursive: true, filter: (path) => !path.endsWith("/console") });
    for (const name of readdirSync(root))
      if (["node_modules", "package.json", "models"].includes(name)) symlinkSync(join(root, name), join(place, name));
    /** @type {Map<string, Mutant | null>} */
    const written = new Map();
    const write = (/** @type {string} */ file, /** @type {string} */ code, /** @type {Mutant | null} */ mutant) => {
      const name = join(dirname(file), `${basename(file, ".ts")}.changed-${written.size}.ts`);
      writeFileSync(join(place, name), code);
      written.set(name, mutant);
      return name;
    };
    /** An unchanged copy: if two copies of a class are incompatible, the file cannot be judged. */
    const controls = new Map(
      [...new Map(mutants.map(({ file, source }) => [file, source]))].map(([file, source]) => [
        file,
        write(file, source, null),
      ]),
    );
    for (const mutant of mutants) {
      const { file, source, start, end, text } = mutant;
      write(file, source.slice(0, start) + text + source.slice(end), mutant);
    }
    const wrong = filesWithErrors(place, [...written.keys()]);
    return new Set(
      [...written].flatMap(([name, mutant]) =>
        mutant !== null && wrong.has(name) && !wrong.has(controls.get(mutant.file) ?? "") ? [mutant] : [],
      ),
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** @param {string} place @param {string[]} files */
function filesWithErrors(place, files) {
  /** @type {{ compilerOptions: Record<string, unknown> }} */
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  writeFileSync(
    join(place, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, noEmit: true, incremental: false, tsBuildInfoFile: undefined },
      files,
    }),
  );
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", place, "--pretty", "false"], {
    cwd: place,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const wrong = new Set(
    [...stdout.matchAll(/^(\S[^(\n]*)\(\d+,\d+\): error TS/gm)].map(([, file = ""]) => relative(".", file)),
  );
  if (status !== 0 && wrong.size === 0) throw new Error(`the compiler does not run: ${stdout}`);
  return wrong;
}
