import { isJsonObject, type JsonObject } from "../../core/kernel/json-object.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { isDeeperThan, MAX_JSON_DEPTH } from "./rules/device-state.ts";

/** Largest command in bytes of JSON (docs/spec/domain.md §3.1). */
const MAX_COMMAND_BYTES = 16 * 1024;

const STRUCTURE = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/**
 * Whether an object of a JSON text names a key twice: readers differ in which of the two counts. `text` is valid JSON.
 */
export function namesKeyTwice(text: string): boolean {
  /** The keys of each object that is open; null for a list. */
  const open: (Set<unknown> | null)[] = [];
  let isKeyNext = false;
  for (const [part] of text.matchAll(STRUCTURE)) {
    const keys = open.at(-1);
    if (part === "{" || part === "[") open.push(part === "{" ? new Set() : null);
    else if (part === "}" || part === "]") open.pop();
    else if (part !== "," && isKeyNext && keys) {
      const key: unknown = JSON.parse(part);
      if (keys.has(key)) return true;
      keys.add(key);
    }
    isKeyNext = part === "{" || part === ",";
  }
  return false;
}

/** Parses and checks a command. @throws Problem `body_too_large`, `invalid_json`, `invalid_body`. */
export function readCommand(text: string): JsonObject {
  if (Buffer.byteLength(text) > MAX_COMMAND_BYTES)
    throw new Problem("body_too_large", `A command has at most ${MAX_COMMAND_BYTES} bytes.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Problem("invalid_json", { code: "refusal.command.notJson" }, { cause });
  }
  if (!isJsonObject(value)) throw new Problem("invalid_body", { code: "refusal.command.notAnObject" });
  if (isDeeperThan(value, MAX_JSON_DEPTH))
    throw new Problem("invalid_body", { code: "refusal.command.tooDeep", limit: MAX_JSON_DEPTH });
  return value;
}
