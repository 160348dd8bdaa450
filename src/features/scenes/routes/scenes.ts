import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { activateScene, listScenes } from "../api/scenes.ts";
import type { Scene, Scenes } from "../scenes.ts";

/** The scene routes of /v1. */
export function sceneRoutes(scenes: Scenes): BoundRoute[] {
  return [
    bind(listScenes, ({ caller }) => ({ status: 200, body: { scenes: scenes.list(caller.siteId).map(shown) } })),
    bind(activateScene, async ({ caller, params }) => {
      const { name, sent, skipped } = await scenes.activate(caller.siteId, params.id, caller.actor);
      return { status: 202, body: { accepted: true, scene: name, sent, skipped } };
    }),
  ];
}

/** A scene in the shape of the contract. */
export function shown({ id, name, icon, actions, enabled, houseMode, lastActivatedAt }: Scene) {
  return {
    id,
    name,
    icon,
    actions: actions.map(({ deviceId, command }) => ({ deviceId, command })),
    enabled,
    ...(houseMode === null ? {} : { houseMode }),
    lastActivatedAt: isoTimeOrNull(lastActivatedAt),
  };
}
