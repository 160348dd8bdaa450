import { type Command, json, readArguments, UsageError, withHub } from "./command.ts";

/** `gatehouse export`. */
export const exportCommand: Command = {
  name: "export",
  summary: "print the hub's set-up as a document for provision",
  help: `Usage: gatehouse export

Prints the set-up of the hub, running or not, as the document that 'gatehouse provision' takes: applied to an empty hub, it creates the same
household. Secrets are never in it. Where one is needed, it has a variable (OWNER_PASSWORD, BACKUP_PASSPHRASE, CAMERA_…_PASSWORD); devices,
keys, clients of other makes and webhooks get new ones, which provision prints. History, pictures and people other than the owner are
not in it either: use a backup for those. Automations that a key has written become the household's own.

What had to be left out is listed on standard error.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {});
    if (positionals.length > 0) throw new UsageError("export takes no arguments.");
    const { document, notes } = (await withHub(io, values.data, (hub) => hub.call("GET", "/api/box/export"))) as {
      document: object;
      notes: readonly string[];
    }; // features/provision/api/console-box.ts
    io.out(json(document));
    for (const note of notes) io.err(`${note}\n`);
    return 0;
  },
};
