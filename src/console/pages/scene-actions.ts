import { post } from "../api.ts";
import { askBeforeScene } from "../components/opening.tsx";
import { say, sayError } from "../components/toast.tsx";
import { t } from "../i18n/translate.ts";
import type { Scene } from "../store.ts";

/** Runs a scene, after a question if it lets somebody in, and says how many commands went out and what was left out. */
export function activateScene(scene: Scene): void {
  askBeforeScene(scene, () => activate(scene));
}

async function activate(scene: Scene): Promise<void> {
  try {
    const answer = await post("/v1/scenes/{id}/activate", { params: { id: scene.id } });
    say(
      answer.skipped.length === 0
        ? t("scene.done", { name: scene.name, n: answer.sent })
        : t("scene.skipped", { name: scene.name, n: answer.sent, skipped: answer.skipped.join(", ") }),
    );
  } catch (error) {
    sayError(error);
  }
}
