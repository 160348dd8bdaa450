/** A hub in its own process that reports endlessly, for a test that kills it. Arguments: folder, receiver's URL. */
import { openDatabase, seedAccount } from "../support/database.ts";
import { startWebhooks } from "./setup.ts";

const [, , folder = "", url = ""] = process.argv;
const database = await openDatabase(folder);
const { siteId } = seedAccount(database);
const hooks = await startWebhooks(database);
await hooks.registry.create(siteId, { url, events: ["device.state"] });
for (let n = 1; ; n++) {
  await hooks.report(siteId, n);
  process.stdout.write(`committed ${n}\n`);
}
