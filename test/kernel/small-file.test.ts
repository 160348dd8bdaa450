import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { checkedJson, checkValue, jsonWithCheck, moveAside, readSmallFile } from "../../src/core/kernel/small-file.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("anything in a small file's place is described, without waiting for it", async (t) => {
  const folder = testFolder(t, { whole: "text", empty: "", folder: {} });
  const at = (name: string): string => join(folder, name);
  execFileSync("mkfifo", [at("pipe")]);
  symlinkSync(at("itself"), at("itself"));
  symlinkSync(at("nowhere"), at("dangling"));
  symlinkSync(at("whole"), at("link"));
  symlinkSync("/dev/null", at("device"));
  writeFileSync(at("large"), Buffer.alloc(1_048_577));
  const began = performance.now();
  const found = (name: string): unknown => {
    const file = readSmallFile(at(name));
    return file.kind === "unusable" ? file.reason : file.kind === "good" ? file.text : file.kind;
  };
  t.equal(found("whole"), "text");
  t.equal(found("link"), "text");
  t.equal(found("empty"), "empty");
  t.equal(readSmallFile(at("empty"), { mayBeEmpty: true }).kind, "good");
  t.equal(found("folder"), "folder");
  t.equal(found("pipe"), "pipe");
  t.equal(found("itself"), "ELOOP");
  t.equal(found("dangling"), "missing");
  t.equal(found("device"), "device");
  t.equal(found("large"), "large");
  t.ok(performance.now() - began < 5_000, "a pipe is not waited for");
});

t.test("a changed character is detected; a text of an earlier version has no checksum and is accepted", async (t) => {
  const text = jsonWithCheck("test", { year: 2026, name: "é" });
  t.same(checkedJson("test", text), { year: 2026, name: "é" });
  t.equal(checkedJson("another purpose", text), null);
  t.same(checkedJson("test", '{"year":2026}'), { year: 2026 });
  let unnoticed = 0;
  const bytes = Buffer.from(text);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const read = checkedJson("test", flipped.toString("utf8"));
    // a flip in the name of the member "check" leaves an object without one
    if (read !== null && !Object.keys(read).some((key) => !["year", "name"].includes(key))) unnoticed += 1;
  }
  t.equal(unnoticed, 0, "of every bit");
  t.not(checkValue("a", "b"), checkValue("b", "b"));
});

t.test("unusable files are set aside, as far as the folder allows", async (t) => {
  const folder = testFolder(t, { mark: "x", other: {} });
  t.ok(moveAside(join(folder, "mark")));
  t.ok(existsSync(join(folder, "mark.unusable")));
  mkdirSync(join(folder, "other.unusable"));
  writeFileSync(join(folder, "other.unusable", "kept"), "x");
  t.notOk(moveAside(join(folder, "other")), "it replaces nothing with content");
  t.ok(existsSync(join(folder, "other")));
});
