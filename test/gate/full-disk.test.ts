/** Pictures make room on a disk that takes no row any more. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import t from "tap";
import { eventually } from "../support/hub-process.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { Premises } from "./premises.ts";

t.test(
  "on a full disk the files go although no row can say so; the rows follow when it takes writes again",
  async (t) => {
    const folder = smallDisk(t, 8);
    if (folder === null) {
      t.pass("skipped: this user may not mount a file system");
      return;
    }
    const p = await Premises.open(folder);
    p.encodeImage = async () => randomBytes(200_000);
    const [first = 0] = await p.capture({ plates: ["MH12AB1234"] });
    for (const plate of ["KA01AB2222", "TN07CD9999"]) await p.capture({ plates: [plate] });
    t.equal((await p.reads.image(p.siteId, first)).length, 200_000);
    fillDisk(join(folder, "foreign"), 0);
    const store = (key: string): Promise<unknown> =>
      p.database.write(() =>
        p.database.raw.prepare("INSERT INTO hub (key, value) VALUES (?, ?)").run(key, "x".repeat(200_000)),
      );
    let stored = 0;
    while (
      await store(`filler ${stored}`).then(
        () => true,
        () => false,
      )
    )
      stored++; // what the log still holds room for
    t.equal(p.database.state, "full");

    await t.rejects(p.retention.evictImages(50), { code: /^storage_full$/ });
    await t.rejects(
      p.reads.image(p.siteId, first),
      { code: /^image_not_found$/ },
      "asked for meanwhile it is simply gone",
    );
    await eventually(
      () =>
        store("after").then(
          () => true,
          () => undefined,
        ),
      20_000,
    ); // it tries again every five seconds
    t.equal(await p.retention.evictImages(50), 3);
    t.equal(p.reads.get(p.siteId, first).hasImage, false);
    await p.close();
  },
);
