import type { Base } from "../../core/base.ts";
import type { Feature } from "../../core/feature.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { HouseFeature } from "../house/feature.ts";
import { sceneManagementRoutes } from "./routes/console-scenes.ts";
import { sceneRoutes } from "./routes/scenes.ts";
import { Scenes } from "./scenes.ts";

/** Named lists of commands that are sent together. */
export class ScenesFeature implements Feature {
  readonly scenes: Scenes;
  readonly #access: AccessFeature;

  constructor(
    base: Base,
    {
      feed: { feed },
      access,
      devices: { registry, commands },
      house: { modes },
    }: {
      readonly feed: FeedFeature;
      readonly access: AccessFeature;
      readonly devices: DevicesFeature;
      readonly house: HouseFeature;
    },
  ) {
    this.#access = access;
    this.scenes = new Scenes(base, { registry, commands, grants: access.grants, feed, modes });
    // it is not run until an owner saves it
    access.grants.endsBy("scene", ({ id }) => access.grants.disown("scene", id));
  }

  get api() {
    return sceneRoutes(this.scenes);
  }

  get console() {
    return sceneManagementRoutes(this.scenes, this.#access.audited);
  }
}
