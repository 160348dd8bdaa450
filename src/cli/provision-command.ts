import { readFileSync } from "node:fs";
import { isJsonObject } from "../core/kernel/json-object.ts";
import { Problem } from "../core/kernel/problem.ts";
import { ProvisionDocument } from "../features/provision/resources/provision.ts";
import { filledIn, type Variables } from "../features/provision/variables.ts";
import { type CliIo, type Command, json, openPlace, readArguments, UsageError, withHub } from "./command.ts";
import type { HubCalls } from "./control-socket.ts";
import { restarted } from "./estate/call.ts";

/** `gatehouse provision FILE|-`. */
export const provisionCommand: Command = {
  name: "provision",
  summary: "set a hub up from one JSON document",
  help: `Usage: gatehouse provision FILE|- [--var NAME=VALUE]… [--vars FILE] [--env-prefix PREFIX] [--dry-run] [--reset-owner-password]

Applies a set-up document to the hub, running or not, and prints it together with what it created: API keys, device passwords, webhook
secrets, ids. The document is applied as a whole or, after a mistake or a power cut, not at all. Every part is optional, and so is every
member without a star. Keep the output safe: secrets are printed once. If one could not be printed, the next provision prints it ("earlier").

Applying it again changes nothing and says so ("changed": false; each entry has "change": "made", "changed" or "none"). Rooms, scenes,
clients, keys and automations are identified by their names (those of the same name by their order), devices by their ids, webhooks by
their addresses, plate rules by their plates. What the document says about them is set again, even if a person has changed it since; what it
does not mention stays as it is. The owner's password is for a hub without an owner: that of an existing owner is not changed.

A device of another make has "from" instead of a password: the device is what that client (null: the broker of the site) announces under
that key, and no other client can announce it.

  --dry-run                check everything and say what would change; nothing is kept
  --reset-owner-password   sets the document's password even if the owner has another one by now; their second factor and passkeys
                           are removed, and all their sessions end
  --var NAME=VALUE         a variable: \${NAME} in any text of the document becomes VALUE ($$ is a dollar sign). Where the document needs
                           something else, such as a latitude, a text that is only a variable becomes a number, true, false or null
  --vars FILE              variables from a JSON object; values may be of any kind. --var takes precedence
  --env-prefix PREFIX      variables from the environment: PREFIXNAME is NAME. The others take precedence

  {"account": {"email"*, "name", "password"},
   "site": {"name", "timeZone", "latitude", "longitude", "capacity"},
   "rooms": [{"name"*, "icon", "sort"}],
   "devices": [{"id"*, "name", "type", "room", "icon", "favorite", "password",
                "from": {"client"*: user name, "family"*, "key"*, "hardware": [addresses]}}],
   "scenes": [{"name"*, "icon", "actions"*: [{"deviceId"*, "command"*: {…}}], "houseMode"}],
   "clients": [{"name"*, "family"*: "tasmota"|"shelly2"|…, "also": [further families], "username", "password"}],
   "keys": [{"name"*, "env": "live"|"test", "scopes"*: ["devices:read", …] or "all", "origins": ["https://…"], "expiresAt"}],
   "webhooks": [{"url"*, "events"*: ["device.state", …], "env", "label", "probe": true|false}],
   "cameras": [{"deviceId"*, "enabled", "direction": "in"|"out"|null, "approach": "in"|"out"|null, "insideGate",
                "presented": "open"|"ask"|"refuse",
                "source": {…}, "gate": {"deviceId"*, "command"*: {…}} or null}],
   "gateChoices": {"defaults"*: [{"earns"*, "deviceId"*, "windows"*, "away"*: true|false}],
                   "away"*: {"deviceId"*, "field"*, "value"*} or null,
                   "confirmedBy"*: [{"kind"*: "state"|"event"|"pin", "cameraId"*, "deviceId"*, "field", "value", "event", "pin"}],
                   "whenInside"*: "open"|"ask"|"refuse", "elsewhere"*: {"withinSeconds"*, "follows"*: "ask"|"refuse"} or null,
                   "asksNearMisses"*: true|false, "followed"*: [{"gateId"*, "loop"*: {"deviceId"*, "field"*, "value"*} or null}]},
   "plateRules": [{"plate"*, "kind": "allow"|"deny"|"watch", "label", "deviceId", "validFrom", "validTo", "windows": [{"days", "from", "to"}], "enabled", "earns": "open"|"confirm"|"ask"|"note"}],
   "automations": [{"name"*, …: as POST /v1/automations takes it, but with "scene": NAME in place of "sceneId"}],
   "settings": {"group.name": value, …: backup places are "backups.destinations"},
   "backups": {"passphrase": text, or null for none},
   "estate": {"code"*: what "gatehouse estate invite" printed; a hub that is in an estate stays as it is}}`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {
      var: { type: "string", multiple: true },
      vars: { type: "string" },
      "env-prefix": { type: "string" },
      "dry-run": { type: "boolean" },
      "reset-owner-password": { type: "boolean" },
    });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name one file, or - for standard input.");
    const given = parseObject(file === "-" ? await io.readInput() : readFileSync(file, "utf8"), file);
    const document = filledIn(given, variables(values, io), ProvisionDocument);
    const query = new URLSearchParams({
      ...(values["dry-run"] ? { dryRun: "true" } : {}),
      ...(values["reset-owner-password"] ? { resetOwnerPassword: "true" } : {}),
    });
    const path = `/api/box/provision${query.size === 0 ? "" : `?${query}`}`;
    const { result } = await withHub(
      io,
      values.data,
      async (hub) => {
        const answer = (await hub.call("POST", path, document)) as Provisioned; // features/provision/api/console-box.ts
        await tell(answer, hub, io);
        return answer;
      },
      "makes",
    );
    if (result.estate?.change === "made" && !values["dry-run"])
      io.err(`It has joined the estate. ${await restarted(openPlace(io, values.data).dataFolder)}\n`);
    return 0;
  },
};

interface Provisioned {
  readonly result: {
    readonly changed: boolean;
    readonly counts: Readonly<Record<string, number>>;
    readonly estate?: { readonly change: string };
  };
  readonly earlier: readonly object[];
}

/** Prints what was made, and has the hub forget it once it is printed. @throws Problem if nobody took it */
async function tell({ result, earlier }: Provisioned, hub: HubCalls, io: CliIo): Promise<void> {
  const { made = 0, changed = 0, none = 0 } = result.counts;
  const text = json({ ...result, ...(earlier.length === 0 ? {} : { earlier }) });
  try {
    if (io.print === undefined) io.out(text);
    else {
      io.whenUnread?.(() => {}); // it is reported below and in the exit code
      await io.print(text);
    }
  } catch (error) {
    const message = `What was made could not be printed (${error instanceof Error ? error.message : String(error)}).`;
    throw new Problem("unavailable", message, {
      hint: 'Nothing is lost: apply a document again, and it is told under "earlier".',
    });
  }
  if (result.changed || earlier.length > 0) await hub.call("POST", "/api/box/provision/printed");
  io.err(
    result.changed
      ? `${made} made, ${changed} changed, ${none} as they were.\n`
      : "Nothing has changed: the hub is as the document says.\n",
  );
}

/** Variables from the environment, a file and arguments. @throws UsageError for anything but NAME=VALUE */
function variables(
  values: {
    readonly var?: readonly string[] | undefined;
    readonly vars?: string | undefined;
    readonly "env-prefix"?: string | undefined;
  },
  io: CliIo,
): Variables {
  const prefix = values["env-prefix"];
  if (prefix === "")
    throw new UsageError("--env-prefix needs a prefix: not everything of the environment is meant for the document.");
  const fromEnvironment =
    prefix === undefined
      ? []
      : Object.entries(io.env).flatMap(([name, value]) =>
          name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
        );
  const named = (values.var ?? []).map((text) => {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined) throw new UsageError(`--var takes NAME=VALUE, not ${JSON.stringify(text)}.`);
    return [name, value];
  });
  const fromFile = values.vars === undefined ? {} : parseObject(readFileSync(values.vars, "utf8"), values.vars);
  return { ...Object.fromEntries(fromEnvironment), ...fromFile, ...Object.fromEntries(named) };
}

function parseObject(text: string, file: string): Record<string, unknown> {
  const name = file === "-" ? "Standard input" : file;
  try {
    const document: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (isJsonObject(document)) return document;
  } catch (error) {
    throw new Problem(
      "invalid_json",
      `${name} is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  throw new Problem("invalid_json", `${name} must hold one JSON object.`);
}
