// @ts-check
/** A copy of the built hub, as installed, so that modules can be removed. Plain Node. */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { hubMain } from "../hub-environment.mjs";

/**
 * Copies the program of a build and links its dependencies; returns its main file, and the folder of modules with one
 * link per package.
 * @param {{ root: string, build: string, folder: string }} place `folder` may be there
 */
export function copyProgram({ root, build, folder }) {
  mkdirSync(folder, { recursive: true });
  cpSync(join(hubMain(build), "..", ".."), join(folder, "build"), { recursive: true });
  for (const name of ["src", "models", "dist", "docs", "package.json"])
    symlinkSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, "scripts"));
  cpSync(join(root, "scripts", "gatehouse.mjs"), join(folder, "scripts", "gatehouse.mjs"));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(root, "node_modules")))
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  return { build: join(folder, "build"), main: join(folder, "build", "src", "main.js"), modules };
}
