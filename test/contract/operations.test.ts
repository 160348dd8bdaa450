import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), "utf8");

t.test("a typed client knows every operation", async (t) => {
  const operations = read("src/console/operations.ts");
  const features = [
    ...operations.matchAll(/import type \{ Routes as (\w+) \} from "\.\.\/features\/([\w-]+)\/api\/index\.ts"/g),
  ];
  const listed = features.flatMap(([, name, feature = ""]) => {
    t.match(operations, new RegExp(`^  \\| ${name}[;\n]`, "m"), `${name} is in the union`);
    const list = read(`src/features/${feature}/api/index.ts`);
    return [...list.matchAll(/typeof import\("\.\/([\w-]+\.ts)"\)/g)].map(([, file]) => `${feature}/api/${file}`);
  });
  const withRoutes = readdirSync(join(PROJECT_ROOT, "src/features"), { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && read(`src/features/${file}`).includes("= defineRoute("),
  );
  t.same(listed.sort(), withRoutes.sort());
  t.ok(listed.length > 40, `${listed.length} files`);
});

t.test("the console's calls match the routes: its modules compile", async (t) => {
  const compiler = join(PROJECT_ROOT, "node_modules/typescript/bin/tsc");
  try {
    // One checker: several at once each compute the routes' types, for twice the processor time.
    execFileSync(process.execPath, [compiler, "-p", join(PROJECT_ROOT, "src/console"), "--checkers", "1"], {
      encoding: "utf8",
    });
  } catch (error) {
    t.fail((error as { stdout: string }).stdout);
  }
  t.pass();
});

t.test("no schema gets into the console's bundle", async (t) => {
  const assets = join(PROJECT_ROOT, "dist/console/assets");
  const scripts = readdirSync(assets).filter((file) => file.endsWith(".js"));
  t.ok(scripts.length > 10);
  for (const file of scripts)
    if (readFileSync(join(assets, file), "utf8").includes("~kind")) t.fail(`${file} contains a part of TypeBox`);
});
