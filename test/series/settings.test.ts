/** InfluxDB's settings when edits share a commit: each is checked against what the previous one has just written. */
import t from "tap";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import { type InfluxEdit, SeriesSetup } from "../../src/features/series/setup.ts";
import { openDatabase } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("a password is not sent to the server that another edit of the commit has just abandoned", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const setup = new SeriesSetup({
    database,
    secrets: new HubKey(Buffer.alloc(32, 7)),
    targets: { allowLoopback: true, ownPorts: () => [], ownAddresses: () => [] },
    clock: { now: () => 0 },
  });
  setup.start();
  const put = (url: string, secret?: string) => setup.putInflux({ ...INFLUX, url, secret }, () => {});
  await put("http://192.168.1.4:8086", "word of 4");
  const [moved, stale] = await Promise.allSettled([
    put("http://192.168.1.5:8086", "word of 5"),
    put("http://192.168.1.4:8086"),
  ]);
  t.equal(moved.status, "fulfilled");
  t.hasStrict(stale, { status: "rejected", reason: { code: "invalid_body", details: [{ field: "/secret" }] } });
  t.equal(setup.settings.influx?.url, "http://192.168.1.5:8086");
  t.equal(setup.secret(), "word of 5");
});

const INFLUX: Omit<InfluxEdit, "url" | "secret"> = {
  enabled: true,
  home: "home",
  version: "1",
  user: "hub",
  database: "home",
  org: "",
  bucket: "",
  begin: "resume",
};
