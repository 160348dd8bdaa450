import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { applyFactoryReset, stageFactoryReset } from "../../src/core/platform/factory-reset.ts";
import { testFolder } from "../support/test-folder.ts";

t.test(
  "nothing is deleted unrequested; on request, everything but the card's claim code is deleted, once",
  async (t) => {
    const folder = testFolder(t, {
      "gatehouse.db": "rows",
      plates: { "1.jpg": "picture" },
      "claim-code": "ABCDEFGHJK",
    });
    t.equal(applyFactoryReset(folder), false);
    t.ok(existsSync(join(folder, "gatehouse.db")));
    await stageFactoryReset(folder);
    t.ok(existsSync(join(folder, "gatehouse.db")), "the running hub keeps what it uses");
    t.equal(applyFactoryReset(folder), true);
    t.strictSame(readdirSync(folder), ["claim-code"]);
    t.equal(applyFactoryReset(folder), false);
  },
);
