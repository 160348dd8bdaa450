/**
 * npm start installs what the root's package.json names, without the tests' workspace: nothing that the hub or its
 * build imports may be missing there.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const named = (file: string): Set<string> => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(PROJECT_ROOT, file), "utf8"),
  ) as Manifest; // our own file
  return new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)]);
};

/** Packages that the sources of a folder import, except for types only. */
function imported(folder: string): Set<string> {
  const files = readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(tsx?|mjs|css)$/.test(file),
  );
  const text = files.map((file) => readFileSync(join(PROJECT_ROOT, folder, file), "utf8")).join("\n");
  const found = text.matchAll(
    /(?:^import (?!type)[^;]*?from |^import |await import\(|^@import |url\()"((?:@[\w.-]+\/)?[\w][\w.-]*)(?:\/[^"]*)?"/gm,
  );
  return new Set([...found].map(([, name = ""]) => name));
}

t.test("npm start installs what the hub and its pages import", async (t) => {
  const [ours, tests] = [named("package.json"), named("test/package.json")];
  const wanted = [...new Set([...imported("src"), ...imported("firmware-bridge")])];
  for (const name of ["koa", "typebox", "preact"]) t.ok(wanted.includes(name), `${name} is found among the imports`);
  t.same(
    wanted.filter((name) => tests.has(name)),
    [],
  );
  for (const name of ["vite", "rolldown", ...wanted.filter((name) => !name.startsWith("node"))])
    t.ok(ours.has(name), name);
  t.same(
    [...ours].filter((name) => tests.has(name)),
    [],
    "each is named once",
  );
});

t.test("the bundle has the program of every thread", async (t) => {
  const folder = join(PROJECT_ROOT, "build-hub/src");
  const started = readdirSync(folder)
    .filter((file) => /\.c?js$/.test(file))
    .flatMap((file) =>
      [
        ...readFileSync(join(folder, file), "utf8").matchAll(
          /new URL\("\.\/([\w-]+\.js)", (?:import\.meta\.url|require\("url"\))/g,
        ),
      ].map(([, name = ""]) => name),
    );
  t.ok(started.length >= 5, started.join(", "));
  const there = readdirSync(folder);
  t.same(
    started.filter((name) => !there.includes(name)),
    [],
  );
});
