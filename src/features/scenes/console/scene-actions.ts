import { post } from "../../../console/api.ts";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { Scene } from "../../../console/store.ts";
import { askBeforeScene } from "../../gate/console/opening.tsx";

/** Runs a scene, after a question if it lets somebody in, and reports the sent and the skipped commands. */
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
