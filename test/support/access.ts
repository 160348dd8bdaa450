import type { Test } from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { loadHubKey } from "../../src/core/platform/hub-key.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { Access, type AccessOptions } from "../../src/features/access/access.ts";
import { CHEAP_COST } from "./cheap-cost.ts";
import { openDatabase } from "./database.ts";
import { FakeClock } from "./fake-clock.ts";
import { shownItem } from "./feed.ts";
import { testFolder } from "./test-folder.ts";

/** A password that the policy accepts. */
export const GOOD_PASSWORD = "violin-gravel-47-otter";

/** A feed item as the part reported it. */
export interface ReportedItem {
  readonly siteId: number;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
}

/** The access part on a real database with a clock that stands still. */
export async function openAccess(
  t: Test,
  options: Partial<AccessOptions> = {},
): Promise<{ access: Access; database: Database; clock: FakeClock; feed: ReportedItem[]; folder: string }> {
  const folder = testFolder(t);
  const clock = new FakeClock();
  const database = await openDatabase(folder);
  t.teardown(() => database.stop());
  const feed: ReportedItem[] = [];
  const access = new Access({
    database,
    clock,
    logger: silentLogger,
    hubKey: loadHubKey(folder),
    recordFeedItem: (item) => feed.push(shownItem(item)),
    dataFolder: null,
    newSite: { name: "Home", timeZone: "Asia/Kolkata" },
    sessionIdleDays: 14,
    sessionMaxDays: 90,
    hadOwner: () => false,
    claimFromAnywhere: false,
    passwordCost: CHEAP_COST,
    ...options,
  });
  await access.keys.start();
  return { access, database, clock, feed, folder };
}
