/** All tables are written in one way (CONTRIBUTING.md, "A new table"). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../../support/database.ts";

/** A table that exists in backups only, and a job that goes through many. */
const OTHERS = new Set(["backup-file.ts", "recorded-times.ts"]);

t.test("every table's rows are in camelCase, its columns named, its statements made at first use", async (t) => {
  const files = readdirSync(join(PROJECT_ROOT, "src"), { recursive: true, encoding: "utf8" }).filter(
    (path) => /\/tables\/[\w-]+\.ts$/.test(path) && !OTHERS.has(path.replace(/.*\//, "")),
  );
  t.ok(files.length > 55);
  for (const name of files) {
    const text = readFileSync(join(PROJECT_ROOT, "src", name), "utf8");
    t.match(text, /export class \w+Tables? extends Table \{/, `${name}: a class of its own`);
    t.notMatch(text, /^\s+(readonly )?[a-z0-9]+(_[a-z0-9]+)+\??: .*;$/m, `${name}: members in camelCase`);
    t.notMatch(text.replaceAll(/FROM \(SELECT \*/g, ""), /SELECT \*|SELECT \w+\.\*/, `${name}: columns are named`);
    t.notMatch(text, /[^:\w]:[a-z]\w*[,) ].*`|VALUES \(:/, `${name}: parameters are @named`);
  }
});
