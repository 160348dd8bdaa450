import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import t from "tap";
import { type Pattern, patternsIn, prefixesOf, pumpsOf } from "./pattern-scanner.ts";

/**
 * Patterns that take more than linear time, and why this cannot be exploited: their input is short, or the hub's own.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  "/=+$/": "sees the base64 of the hub's own hashes",
  "/\\S+@\\S+/g": "sees the last 500 characters of ffmpeg's output",
  "/\\d+$/": "sees names of the hub's own copies of its database",
  "/\\s*[\\n,]\\s*/": "splits a list in the code",
  "/[-.][A-Za-z0-9_-]{8,}\\.[a-z0-9]+$/": "sees names of the console's own files",
  "/^-+|-+$/g": "sees at most 400 characters of a name",
};
/**
 * Length of the texts that a pattern is tried on; a quadratic one takes 10 ms or more for them, a linear one about 10
 * µs.
 */
const LENGTH = 8_000;
const MOST_CPU_MS = 4;
/** Every text is first tried short, when a quadratic pattern takes about 0.5 ms. */
const SHORT = 1_500;
const SUSPICIOUS_MS = 0.15;
/** An exponential pattern never ends: then the worker is terminated. */
const DEADLINE_MS = 120_000;

function patterns(): Map<string, Pattern> {
  const found = new Map<string, Pattern>();
  for (const root of ["src", "firmware-bridge"]) {
    const folder = join(import.meta.dirname, "..", "..", root);
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts") || (root === "src" && file.startsWith("console/"))) continue;
      for (const { source, flags } of patternsIn(readFileSync(join(folder, file), "utf8")))
        found.set(`/${source}/${flags}`, { file: `${root}/${file}`, source, flags });
    }
  }
  return found;
}

/** Tries patterns in a thread of its own; returns those that took too long, and how long. */
function tryAll(
  cases: readonly {
    readonly name: string;
    readonly source: string;
    readonly flags: string;
    readonly texts: readonly [string, string][];
  }[],
) {
  const code = `
    const { parentPort, workerData } = require("node:worker_threads");
    const timeOf = (pattern, text) => {
      pattern.lastIndex = 0;
      const before = process.cpuUsage();
      pattern.exec(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const textOf = (prefix, pump, length) => prefix + pump.repeat(Math.ceil(length / pump.length)) + "\\u0000";
    /** By the clock, which costs little; what is slow by it is measured. */
    const seemsSlow = (pattern, text) => {
      pattern.lastIndex = 0;
      const begun = performance.now();
      pattern.exec(text);
      return performance.now() - begun > workerData.suspicious;
    };
    for (const { name, source, flags, texts } of workerData.cases) {
      parentPort.postMessage({ begins: name });
      const pattern = new RegExp(source, flags.replace("y", ""));
      for (const [prefix, pump] of texts) {
        if (![28, workerData.short].some((length) => seemsSlow(pattern, textOf(prefix, pump, length)))) continue;
        const text = textOf(prefix, pump, workerData.length);
        // Other threads' work counts too: what is slow three times in a row is slow.
        if (![1, 2, 3].every(() => timeOf(pattern, text) > workerData.most)) continue;
        parentPort.postMessage({ slow: name, text: [prefix, pump] });
        break;
      }
    }
    parentPort.postMessage({ done: true });`;
  const worker = new Worker(code, {
    eval: true,
    workerData: { cases, length: LENGTH, most: MOST_CPU_MS, short: SHORT, suspicious: SUSPICIOUS_MS },
  });
  const slow = new Map<string, string>();
  let current = "";
  return new Promise<Map<string, string>>((resolve, reject) => {
    const timer = setTimeout(() => {
      slow.set(current, "it does not end");
      void worker.terminate().then(() => resolve(slow));
    }, DEADLINE_MS);
    worker.on("error", reject);
    worker.on("message", (message: { begins?: string; slow?: string; text?: unknown; done?: boolean }) => {
      current = message.begins ?? current;
      if (message.slow !== undefined) slow.set(message.slow, JSON.stringify(message.text));
      if (message.done !== true) return;
      clearTimeout(timer);
      resolve(slow);
    });
  });
}

const casesOf = (all: Iterable<[string, Pattern]>) =>
  [...all]
    .filter(([, { source }]) => /[*+]|\{\d*,\d*\}/.test(source)) // without repetition there is nothing to try
    .map(([name, pattern]) => ({
      name,
      source: pattern.source,
      flags: pattern.flags,
      texts: prefixesOf(pattern)
        .slice(0, 6)
        .flatMap((prefix) => pumpsOf(pattern).map((pump): [string, string] => [prefix, pump])),
    }));

t.test("every pattern applied to outside input takes linear time", async (t) => {
  const all = patterns();
  t.ok(all.size > 200, `${all.size} patterns`);
  const slow = await tryAll(casesOf([...all].filter(([name]) => BOUNDED[name] === undefined)));
  for (const [name, text] of slow) t.fail(`${name} in ${all.get(name)?.file}: ${text}`);
  const names = new Set(all.keys());
  for (const name of Object.keys(BOUNDED)) t.ok(names.has(name), `${name} still exists`);
});

t.test("the search finds slow patterns, and every pattern in the code", async (t) => {
  const bad = ["^(a+)+$", "(x|xx)*y", "\\s+$", "^-+|-+$", "<!--[^]*-->", "[a-z]+@[a-z]+\\.com"].map(
    (source): [string, Pattern] => [`/${source}/`, { file: "", source, flags: "" }],
  );
  const cases = casesOf(bad.slice(2)); // the first two would never end
  t.same([...(await tryAll(cases)).keys()].sort(), cases.map(({ name }) => name).sort());
  const code =
    'const a = b / c / d; /* /no/ */ const s = "/no/"; // /no/\nf(/one[/]"/g, `\u0024{/two/.test(x) ? `/no/` : 1} /no/`); return /three\\//u.test(y) && z / 2 / 1;';
  t.same(
    patternsIn(code).map(({ source }) => source),
    ['one[/]"', "two", "three\\/"],
  );
});
