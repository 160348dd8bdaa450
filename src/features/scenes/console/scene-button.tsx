/** A scene on Home: its name, and what it does once that has been read from its steps. */
import { Icon, sceneIcon } from "../../../console/components/icon.tsx";
import { Name } from "../../../console/components/name.tsx";
import { later } from "../../../console/pages/later.tsx";
import type { Scene } from "../../../console/store.ts";
import { activateScene } from "./scene-actions.ts";

const Does = later(async () => (await import("./scene-words.tsx")).SceneDoes, { isSilent: true });

/** Runs the scene. */
export function SceneButton({ scene }: { scene: Scene }) {
  return (
    <button type="button" class="scene" onClick={() => activateScene(scene)}>
      <Icon name={sceneIcon(scene.icon ?? "")} />
      <span class="grow">
        <strong>
          <Name text={scene.name} />
        </strong>
        <Does params={{ id: String(scene.id) }} />
      </span>
    </button>
  );
}
