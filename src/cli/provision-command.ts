import { readFileSync } from "node:fs";
import { Problem } from "../kernel/problem.js";
import { type Command, json, readArguments, UsageError, withHub } from "./command.js";

/** `gatehouse provision FILE|-`. */
export const provisionCommand: Command = {
  name: "provision",
  summary: "set a hub up from one JSON document",
  help: `Usage: gatehouse provision FILE|-

Applies a set-up document to the hub, running or not, and prints it with what was made: key texts, device passwords, webhook
secrets, ids. Every part is optional; what is absent stays; applying it again changes nothing. Keep the output safe.

  {"account": {"email", "name", "password"},
   "site": {"name", "timeZone", "latitude", "longitude", "capacity"},
   "rooms": [{"name", "icon"}],
   "devices": [{"id", "name", "type", "room", "password"}],
   "scenes": [{"name", "actions": [{"deviceId", "command": {…}}]}],
   "keys": [{"name", "env": "live"|"test", "scopes": ["devices:read", …] or "*", "origins": []}],
   "webhooks": [{"url", "events": ["device.state", …], "env"}],
   "cameras": [{"deviceId", "direction": "in"|"out"|null, "source": {…}, "gate": {"deviceId", "command": {…}}}],
   "plateRules": [{"plate", "kind", "label", "deviceId", "validFrom", "validTo"}]}`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {});
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name one file, or - for standard input.");
    const document = parse(file === "-" ? await io.readInput() : readFileSync(file, "utf8"), file);
    const result = await withHub(io, values.data, (hub) => hub.call("POST", "/api/box/provision", document));
    io.out(json(result));
    return 0;
  },
};

function parse(text: string, file: string): unknown {
  try {
    const document: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof document === "object" && document !== null && !Array.isArray(document)) return document;
  } catch (error) {
    throw new Problem(
      "invalid_json",
      `${file === "-" ? "Standard input" : file} is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  throw new Problem("invalid_json", `${file === "-" ? "Standard input" : file} must hold one JSON object.`);
}
