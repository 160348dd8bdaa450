import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PlateSampleTable } from "../../src/features/gate/tables/plate-sample.ts";
import { gatehouse } from "../support/cli.ts";
import { startConsoleHub } from "../support/console-hub.ts";

t.test("the pictures of corrected plates are exported as a labelled set", async (t) => {
  const { dataFolder, hub } = await startConsoleHub(t);
  const [site] = hub.access.accounts.sites();
  const samples = new PlateSampleTable(hub.base.database);
  const crop = Buffer.from([0xff, 0xd8, 0xff, 0xd9]);
  await hub.base.database.write(() => {
    for (let readId = 1; readId <= 45; readId++)
      samples.put(
        { readId, siteId: site?.id ?? 0, deviceId: "camera-in", plate: "MH12AB3234", seen: "MH12AB8234", at: 0, crop },
        2_000,
      );
  });
  const folder = join(dataFolder, "plates of the house");
  const done = await gatehouse(dataFolder, ["plates", "export", folder]);
  t.match(done, { code: 0, out: /^45 plates in / }, done.err);
  t.equal(readdirSync(folder).length, 46);
  t.same(readFileSync(join(folder, "21.jpg")), crop, "beyond the first page, too");
  const [head, first, ...rest] = readFileSync(join(folder, "labels.csv"), "utf8").trimEnd().split("\n");
  t.equal(head, "file,text,seen,camera,at");
  t.equal(first, "1.jpg,MH12AB3234,MH12AB8234,camera-in,1970-01-01T00:00:00.000Z");
  t.equal(rest.length, 44);
  t.match(await gatehouse(dataFolder, ["plates", "export", folder]), { code: 2, err: /is not empty/ });
  t.match(await gatehouse(dataFolder, ["plates", "import", folder]), { code: 2 });
  t.match(await gatehouse(dataFolder, ["plates", "export"]), { code: 2, err: /Name a folder/ });
  writeFileSync(join(dataFolder, "file"), "");
  t.match(await gatehouse(dataFolder, ["plates", "export", join(dataFolder, "file")]), { code: 1 });
});

t.test("the latest samples of a household are kept", async (t) => {
  const { hub } = await startConsoleHub(t);
  const [site] = hub.access.accounts.sites();
  const siteId = site?.id ?? 0;
  const samples = new PlateSampleTable(hub.base.database);
  await hub.base.database.write(() => {
    for (let readId = 1; readId <= 5; readId++)
      samples.put(
        { readId, siteId, deviceId: "camera-in", plate: "A", seen: "B", at: readId, crop: Buffer.alloc(1) },
        3,
      );
  });
  t.same(
    samples.list(siteId, 0, 10).map(({ readId }) => readId),
    [3, 4, 5],
  );
});
