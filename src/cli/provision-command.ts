import { readFileSync } from "node:fs";
import { Problem } from "../kernel/problem.js";
import { type Command, json, readArguments, UsageError, withHub } from "./command.js";

/** `gatehouse provision FILE|-`. */
export const provisionCommand: Command = {
  name: "provision",
  summary: "set a hub up from one JSON document",
  help: `Usage: gatehouse provision FILE|-

Applies a set-up document to the hub, running or not, and prints it with what was made: key texts, device passwords, webhook
secrets, ids. Every part is optional, and so is every member without a star. Keep the output safe.

Applying it again makes nothing twice: rooms, scenes and keys are known by their names, devices by their ids, webhooks by their
addresses, plate rules by their plates. What the document says of them is set again, what it does not say stays, and so does what it does
not name. What a person has changed since is changed back where the document says otherwise; a password that is another one by now is set
again, and the owner's then also ends the second factor, the passkeys and all sessions. The text of a key is told once only.

  {"account": {"email"*, "name", "password"},
   "site": {"name", "timeZone", "latitude", "longitude", "capacity"},
   "rooms": [{"name"*, "icon", "sort"}],
   "devices": [{"id"*, "name", "type", "room", "icon", "favorite", "password"}],
   "scenes": [{"name"*, "icon", "actions"*: [{"deviceId"*, "command"*: {…}}]}],
   "keys": [{"name"*, "env": "live"|"test", "scopes"*: ["devices:read", …] or "all", "origins": ["https://…"], "expiresAt"}],
   "webhooks": [{"url"*, "events"*: ["device.state", …], "env", "label", "probe": true|false}],
   "cameras": [{"deviceId"*, "enabled", "direction": "in"|"out"|null, "approach": "in"|"out"|null, "insideGate",
                "source": {…}, "gate": {"deviceId"*, "command"*: {…}} or null}],
   "plateRules": [{"plate"*, "kind": "allow"|"deny"|"watch", "label", "deviceId", "validFrom", "validTo", "enabled"}]}`,
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
