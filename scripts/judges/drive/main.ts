/** Runs the three clients against a hub: URL, KEY and PLUG in the environment. Prints what each did. */
import type { Drive } from "./drive.js";
import { drive as heyApi } from "./hey-api.js";
import { drive as openapiFetch } from "./openapi-fetch.js";
import { drive as orval } from "./orval.js";

const { URL: url = "", KEY: key = "", PLUG: plug = "" } = process.env;
const clients: Record<string, (with_: Drive) => Promise<number>> = {
  "openapi-fetch": openapiFetch,
  "hey-api": heyApi,
  orval,
};
const done: { name: string; calls: number; error: string | null }[] = [];
for (const [name, run] of Object.entries(clients))
  done.push(
    await run({ url, key, plug }).then(
      (calls) => ({ name, calls, error: null }),
      (error: unknown) => ({ name, calls: 0, error: String(error) }),
    ),
  );
console.log(JSON.stringify(done));
process.exit(0);
