/**
 * Responses stored for Idempotency-Keys: a key with large ones fills its own share, not the disk, and evicts only its
 * own.
 */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { HouseholdProcess, type MadeKey } from "../support/household-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(60_000); // a hub that starts
const folder = testFolder(t);
const house = await HouseholdProcess.start(t, { GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "0", GATEHOUSE_DATA: folder });

async function patch(key: MadeKey, path: string, idempotencyKey: string, body: object): Promise<Response> {
  const response = await fetch(house.hub.url + path, {
    method: "PATCH",
    headers: {
      authorization: `Bearer ${key.secret}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response;
}
const isReplayed = (response: Response): boolean => response.headers.get("idempotency-replayed") === "true";

t.test("a key with large stored responses", async (t) => {
  await house.device("plug", "smart-plug");
  const quiet = await house.key(["devices:write"]);
  const loud = await house.key(["automations:write"]);
  const rename = (): Promise<Response> => patch(quiet, "/v1/devices/plug", "mine", { name: "Mine" });
  t.equal((await rename()).status, 200);
  const trigger = { type: "time", at: "03:00" };
  const action = {
    type: "sequence",
    actions: Array.from({ length: 28 }, () => ({ type: "notify", title: "x", body: "x".repeat(2_000) })),
  };
  const made = await house.ask(loud, "POST", "/v1/automations", { name: "large", enabled: false, trigger, action });
  const path = `/v1/automations/${made.body.automation.id}`;
  const again = (at: number): Promise<Response> => patch(loud, path, `k${at}`, { name: `large ${at}` });
  for (let at = 0; at < 240; at += 20) await Promise.all(Array.from({ length: 20 }, (_, n) => again(at + n)));
  const database = new SqliteDatabase(join(folder, "gatehouse.db"), { readonly: true });
  t.teardown(() => database.close());
  const { bytes } = database
    .prepare<[], { bytes: number }>("SELECT sum(length(body)) AS bytes FROM idempotency")
    .get() ?? { bytes: 0 };
  t.ok(bytes < 8.5 * 1_048_576 && bytes > 3 * 1_048_576, `${bytes} bytes stored`);
  t.ok(isReplayed(await rename()), "another's is kept for its day");
  t.ok(isReplayed(await again(239)), "its own latest too");
  t.notOk(isReplayed(await again(0)), "its own oldest went");
});
