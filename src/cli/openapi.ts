import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../core/kernel/logger.ts";
import { openSettings } from "../core/settings/store.ts";
import { type Command, json, readArguments, UsageError } from "./command.ts";

/** `gatehouse openapi`. */
export const openapiCommand: Command = {
  name: "openapi",
  summary: "print the OpenAPI description of /v1",
  help: `Usage: gatehouse openapi [--console]

Prints the description of /v1, made from the definitions that run; with --console that of the console's own API.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, { console: { type: "boolean" } });
    if (positionals.length > 0) throw new UsageError("openapi takes no arguments but its options.");
    const { openOfflineHub } = await import("./offline-hub.ts"); // only this way needs most of the program
    const dataFolder = mkdtempSync(join(tmpdir(), "gatehouse-openapi-")); // the description depends on no data
    try {
      const settings = openSettings({ env: {}, argv: [`--storage.folder=${dataFolder}`] });
      const hub = await openOfflineHub({
        settings,
        dataFolder,
        projectFolder: io.projectFolder,
        version: io.version,
        logger: silentLogger,
      });
      io.out(json(await hub.call("GET", values.console ? "/api/openapi.json" : "/v1/openapi.json")));
      await hub.close();
    } finally {
      rmSync(dataFolder, { recursive: true, force: true });
    }
    return 0;
  },
};
