/** An uncaught error fails the test in which it was thrown: tests rely on it (their parts throw in timers). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";

const PROGRAM = `
import { connect, createServer } from "node:net";
import t from ${JSON.stringify(import.meta.resolve("tap"))};
const never = new Promise((resolve) => setTimeout(resolve, 60_000).unref());
const keep = setTimeout(() => {}, 60_000);
t.test("outer", (t) => t.test("timer", async () => {
  await null;
  setTimeout(() => { throw new Error("of a timer"); });
  await never;
}));
t.test("promise", async () => {
  void Promise.resolve().then(() => { throw new Error("of a promise"); });
  await never;
});
t.test("socket", async (t) => {
  const server = createServer((socket) => socket.on("data", () => { throw new Error("of a socket"); }));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect(server.address().port, "127.0.0.1");
  client.on("error", () => {}).write("x");
  t.teardown(() => { client.destroy(); server.close(); });
  await never;
});
t.test("returned", async () => { throw new Error("of the test"); });
t.test("fine", async (t) => { clearTimeout(keep); t.pass(); });
`;

t.test("an uncaught error fails the test that it comes from, and the others continue", async (t) => {
  const file = join(t.testdir(), "program.mjs");
  writeFileSync(file, PROGRAM);
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "ignore"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  t.equal(child.exitCode, 1);
  const first = new Map<string, string>();
  for (const [, verdict = "", name = ""] of output.matchAll(/^ *((?:not )?ok) \d+ - ([a-z ]+?)(?: #.*| \{)?$/gm))
    if (!first.has(name)) first.set(name, verdict);
  t.same(Object.fromEntries(first), {
    "of a timer": "not ok",
    timer: "not ok",
    outer: "not ok",
    "of a promise": "not ok",
    promise: "not ok",
    "of a socket": "not ok",
    socket: "not ok",
    "of the test": "not ok",
    returned: "not ok",
    fine: "ok",
  });
});
