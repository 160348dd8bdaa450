import type { Base } from "../../core/base.ts";
import type { Feature } from "../../core/feature.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import { sceneManagementRoutes } from "./routes/console-scenes.ts";
import { sceneRoutes } from "./routes/scenes.ts";
import { Scenes } from "./scenes.ts";

const LIMITS = { scenesPerSite: 200, actionsPerScene: 100 };

/** Named lists of commands that are sent together. */
export class ScenesFeature implements Feature {
  readonly scenes: Scenes;
  readonly #access: AccessFeature;

  constructor(
    { database, bus, clock, logger }: Base,
    {
      feed,
      access,
      devices,
    }: { readonly feed: FeedFeature; readonly access: AccessFeature; readonly devices: DevicesFeature },
  ) {
    const { registry, commands } = devices;
    this.#access = access;
    this.scenes = new Scenes({
      database,
      bus,
      clock,
      logger,
      registry,
      commands,
      feed: feed.record,
      issuerStands: (sceneId) => access.grants.stands("scene", String(sceneId)),
      limits: LIMITS,
    });
    // it is not run until an owner saves it
    access.grants.endsBy("scene", ({ id }) => access.grants.disown("scene", id));
  }

  get api() {
    return sceneRoutes(this.scenes);
  }

  get console() {
    return sceneManagementRoutes({ scenes: this.scenes, audited: this.#access.audited });
  }
}
