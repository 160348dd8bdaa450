import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import type { AccessFeature } from "../access/feature.ts";
import { locate, mountedUnder } from "../backups/destinations.ts";
import { type BackupsFeature, MOUNTS } from "../backups/feature.ts";
import { debianArch, trustedKeys } from "./bundle.ts";
import { updateKind } from "./place.ts";
import { updateRoutes } from "./routes/console-updates.ts";
import { Updates } from "./updates.ts";
import { updateWorkInThread } from "./work.ts";

/** Where the system's helper mounts sticks. */
const STICKS = "/media/gatehouse";

/** New versions of the hub, and the way back from them. */
export class UpdatesFeature implements Feature {
  readonly updates: Updates;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;
  readonly #backups: BackupsFeature;
  #isHealthy: () => boolean = () => false;

  constructor(base: Base, { access, backups }: { readonly access: AccessFeature; readonly backups: BackupsFeature }) {
    const { dataFolder, projectFolder, settings, version, clock, logger } = base;
    this.#base = base;
    this.#access = access;
    this.#backups = backups;
    this.updates = new Updates({
      version,
      dataFolder,
      projectFolder,
      stateFolder: settings().updates.stateFolder,
      arch: debianArch(process.arch),
      kind: updateKind(),
      keys: () => trustedKeys(projectFolder),
      folders: () => {
        const named = settings().updates.sources.flatMap((source) => locate(source, dataFolder, MOUNTS).root ?? []);
        return [...new Set([...named, ...mountedUnder(STICKS, MOUNTS)])];
      },
      doWork: updateWorkInThread,
      healthy: () => this.#isHealthy(),
      clock,
      logger: logger.child({ part: "updates" }),
    });
    this.services = [{ service: this.updates, start: "serve", stop: "intake" }];
  }

  /** What decides whether a version that is on trial may stay. */
  judgedBy(isHealthy: () => boolean): void {
    this.#isHealthy = isHealthy;
  }

  get console() {
    return updateRoutes({
      updates: this.updates,
      uploads: this.#backups.uploads,
      version: this.#base.version,
      note: this.#access.note,
    });
  }
}
