import { spawn } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

t.test(
  "a home joins a hub by Matter in its own network: a plug in both directions, the gate with its PIN only",
  async (t) => {
    const child = spawn(process.execPath, [join(PROJECT_ROOT, "scripts/matter-check.mjs"), "--quick"], {
      cwd: PROJECT_ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
    const code = await new Promise((resolve) => child.once("exit", resolve));
    t.equal(code, 0, text);
    t.match(text, /everything held/);
  },
);
