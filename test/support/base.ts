import { dirname, join } from "node:path";
import type { Facts } from "../../src/core/api/facts.ts";
import type { Base } from "../../src/core/base.ts";
import { Bus } from "../../src/core/kernel/bus.ts";
import type { Clock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { QuietWrites } from "../../src/core/kernel/quiet-writes.ts";
import { ClockTrust, LINUX_CLOCK_FILES, openHubClock } from "../../src/core/platform/clock-trust.ts";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import { OwnAddress } from "../../src/core/platform/own-address.ts";
import { loadSettings } from "../../src/core/settings/load.ts";
import type { Settings } from "../../src/core/settings/schema.ts";
import { SettingsStore } from "../../src/core/settings/store.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { Reserve } from "../../src/core/storage/reserve.ts";
import { AccessFeature } from "../../src/features/access/feature.ts";
import { OwnershipMark } from "../../src/features/access/ownership-mark.ts";
import { FeedFeature } from "../../src/features/feed/feature.ts";
import { CHEAP_COST } from "./cheap-cost.ts";
import { PROJECT_ROOT } from "./database.ts";

/** Settings of a test, on top of the defaults; a test may change them while the hub runs. */
export type TestSettings = { [Group in keyof Settings]?: Partial<Settings[Group]> };

/** The trust in the clock, as a test gives it. */
class GivenTrust extends ClockTrust {
  given: ReturnType<ClockTrust["state"]> = "trusted";

  override state(): ReturnType<ClockTrust["state"]> {
    return this.given;
  }
}

/** What every feature is built on, as the hub's own, for features on a test's database and clock. */
export function testBase(
  database: Database,
  machine: Clock,
  changes: TestSettings = {},
): Base & { readonly trust: GivenTrust } {
  const logger = silentLogger;
  const dataFolder = dirname(database.raw.name);
  const place = { env: {}, argv: [] };
  const loaded = loadSettings({ ...place, fileText: null });
  const store = new SettingsStore({ ...place, file: join(dataFolder, "gatehouse.json"), loaded });
  const savedFile = join(dataFolder, "clock.json");
  const clock = openHubClock(machine, LINUX_CLOCK_FILES, savedFile);
  const trust = new GivenTrust({ clock, logger, files: LINUX_CLOCK_FILES, savedFile, builtAt: 0 });
  return {
    settings: () => {
      const groups = Object.entries(store.current).map(([name, group]) => [
        name,
        { ...group, ...changes[name as keyof Settings] }, // a group of the settings
      ]);
      return Object.fromEntries(groups) as Settings; // the same groups
    },
    store,
    database,
    reserve: new Reserve(join(dataFolder, "gatehouse.reserve"), database),
    bus: new Bus<Facts>(logger),
    clock,
    trust,
    quietWrites: new QuietWrites(clock),
    logger,
    hubKey: new HubKey(Buffer.alloc(32, 1)),
    tls: null,
    address: new OwnAddress(),
    version: "0.0.0",
    dataFolder,
    projectFolder: PROJECT_ROOT,
    restart: null,
  };
}

/** The feed and the rights of a hub. */
export function testAccess(base: Base): { readonly feed: FeedFeature; readonly access: AccessFeature } {
  const feed = new FeedFeature(base);
  const mark = new OwnershipMark(base.dataFolder);
  return { feed, access: new AccessFeature(base, { feed, mark, passwordCost: CHEAP_COST }) };
}
