import { isJsonObject, type JsonObject } from "../../core/kernel/json-object.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { isDeeperThan, MAX_JSON_DEPTH } from "./rules/device-state.ts";

/** Largest command in bytes of JSON (docs/spec/domain.md §3.1). */
const MAX_COMMAND_BYTES = 16 * 1024;

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
