/** A host whose clock is far ahead at the hub's first start, with a real process. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { pathToFileURL } from "node:url";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const SHIFTED = pathToFileURL(join(PROJECT_ROOT, "scripts/lib/faults/shifted-clock.mjs")).href;

/** Whether a phone that trusts the authority, and knows the time, gets a connection; its certificate's end. */
function connected(url: string, ca: string): Promise<{ readonly error: string | null; readonly until: string }> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({ host: "127.0.0.1", port: Number(new URL(url).port), ca }, () => {
      const { valid_to: until } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ error: null, until });
    });
    socket.on("error", (error) => resolve({ error: error.message, until: "" }));
  });
}

t.test("a first start in 2200 leaves certificates that work once the clock is right", async (t) => {
  const folder = testFolder(t);
  const data = join(folder, "data");
  const clock = join(folder, "clock");
  const env = {
    GATEHOUSE_TLS: "own",
    GATEHOUSE_PLAIN_HTTP: "open",
    NODE_OPTIONS: `--import=${SHIFTED}`,
    CLOCK_FILE: clock,
    CLOCK_SPEED: "1",
  };
  writeFileSync(clock, String(Date.UTC(2200, 0, 1) - Date.now()));
  const ahead = await startHubProcess(data, env);
  t.teardown(() => ahead.kill());
  t.match(ahead.output(), /"time":"(2199|2200)-/, "the process trusts it");
  const authority = readFileSync(join(data, "tls/authority.crt"), "utf8");
  t.equal((await connected(ahead.httpsUrl, authority)).error, null, "at once");
  t.equal(await ahead.stop(), 0);
  for (const shift of [0, 0]) {
    writeFileSync(clock, String(shift));
    const hub = await startHubProcess(data, env);
    t.teardown(() => hub.kill());
    // the certificate is made again once the hub knows the time, which may be a moment after it is ready
    const { until } = await eventually(async () => {
      const answer = await connected(hub.httpsUrl, authority);
      return answer.error === null ? answer : undefined;
    });
    t.ok(Date.parse(until) > Date.now(), until);
    t.equal(readFileSync(join(data, "tls/authority.crt"), "utf8"), authority, "and it is the same authority");
    t.equal(await hub.stop(), 0);
  }
});
