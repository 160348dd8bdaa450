/** What a hub is made from, and what its features are built on. */
import { join } from "node:path";
import type { Base } from "./core/base.ts";
import { Bus } from "./core/kernel/bus.ts";
import type { Clock } from "./core/kernel/clock.ts";
import type { FileTroubles } from "./core/kernel/file-troubles.ts";
import type { Logger } from "./core/kernel/logger.ts";
import { QuietWrites } from "./core/kernel/quiet-writes.ts";
import { loadHubKey } from "./core/platform/hub-key.ts";
import type { LogRing } from "./core/platform/log-ring.ts";
import { openClock } from "./core/platform/open-clock.ts";
import { OwnAddress } from "./core/platform/own-address.ts";
import type { HubTls } from "./core/platform/tls.ts";
import type { SettingsStore } from "./core/settings/store.ts";
import type { Source } from "./core/storage/database-options.ts";
import { readHubValue } from "./core/storage/peek.ts";
import { Reserve } from "./core/storage/reserve.ts";
import type { OwnershipMark } from "./features/access/ownership-mark.ts";
import type { ScryptCost } from "./features/access/password.ts";
import { openDatabase } from "./features/backups/open-database.ts";
import { KEY_PROOF } from "./features/system/key-proof.ts";

/** What a hub is made from. */
export interface HubOptions {
  readonly settings: SettingsStore;
  /** The machine's clock; the hub follows it as far as it can be trusted. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Root of the installed project: migrations, models, the built console. */
  readonly projectFolder: string;
  /** The data folder, absolute; it exists. */
  readonly dataFolder: string;
  readonly version: string;
  /** When this version was built, epoch milliseconds: no true clock shows an earlier time. */
  readonly builtAt: number;
  /** Certificates for https and mqtts; null while TLS is off. */
  readonly tls?: HubTls | null;
  /** Restarts the process; absent where nothing would start it again. */
  readonly restart?: () => void;
  /** Files that could not be used before the hub was built; it adds its own. */
  readonly troubles?: FileTroubles;
  /** False: prepares nothing after the start (`features/system/first-use.ts`); it takes longer than the start itself. */
  readonly prepares?: boolean;
  /** The latest lines of the log, for the console; none are shown without. */
  readonly log?: LogRing;
  /** What the start takes its rows from, and why; see `Source`. */
  readonly source?: Source;
  readonly because?: string;
  /** Cheaper password hashes, for tests. */
  readonly passwordCost?: ScryptCost;
}

/** Builds what features are built on; nothing of it runs yet. `onDamage`: the database was found to be damaged. */
export function openBase(
  { settings: store, clock: machine, logger, projectFolder, dataFolder, ...options }: HubOptions,
  { mark, troubles, onDamage }: { readonly mark: OwnershipMark; readonly troubles: FileTroubles; onDamage(): void },
): Base {
  const settings = store.current;
  const { clockRequest } = settings.box;
  const { clock, trust } = openClock({ machine, dataFolder, builtAt: options.builtAt, clockRequest, logger });
  const database = openDatabase({
    dataFolder,
    migrationsFolder: join(projectFolder, "src/core/storage/migrations"),
    commitIntervalMs: settings.storage.commitIntervalMs,
    mark,
    source: options.source ?? "usual",
    because: options.because ?? "",
    onDamage,
    clock,
    logger: logger.child({ part: "storage" }),
  });
  return {
    settings: () => store.current,
    store,
    database,
    reserve: new Reserve(join(dataFolder, "gatehouse.reserve"), database),
    bus: new Bus(logger),
    clock,
    trust,
    quietWrites: new QuietWrites(clock),
    logger,
    hubKey: loadHubKey(dataFolder, {
      proof: () => readHubValue(join(dataFolder, "gatehouse.db"), KEY_PROOF),
      isExpected: () => mark.isSet,
      troubles,
    }),
    tls: options.tls ?? null,
    address: new OwnAddress(),
    version: options.version,
    dataFolder,
    projectFolder,
    restart: options.restart ?? null,
  };
}
