/** What a rule still needs before it can be saved, in plain words. */
import { t } from "../../../console/i18n/translate.ts";
import type { Block } from "./block-editor.tsx";
import type { Draft } from "./rule-draft.ts";

/** One thing that is missing. */
export interface Missing {
  readonly list: "triggers" | "conditions" | "actions" | "otherwise";
  /** Which part of the list it is about; null: the list needs one. */
  readonly index: number | null;
  readonly text: string;
}

/** What is missing in a rule, in the order of its sentence; empty: it can be saved. */
export function missingIn(draft: Draft): readonly Missing[] {
  const within = (list: Missing["list"]): Missing[] =>
    draft[list].flatMap((block, index) => {
      const text = lackOf(block);
      return text === null ? [] : [{ list, index, text }];
    });
  const none = (list: "triggers" | "actions", text: string): Missing[] =>
    draft[list].length === 0 ? [{ list, index: null, text }] : [];
  return [
    ...none("triggers", t("missing.trigger")),
    ...within("triggers"),
    ...within("conditions"),
    ...none("actions", t("missing.action")),
    ...within("actions"),
    ...within("otherwise"),
  ];
}

const CLOCK = /^\d\d:\d\d$/;

/** What one block lacks; null: nothing. */
function lackOf(block: Block): string | null {
  if (block.deviceId === "") return t("missing.device");
  switch (block.type) {
    case "time":
      return ["at", "from", "to"].some((key) => key in block && !CLOCK.test(String(block[key])))
        ? t("missing.time")
        : null;
    case "scene":
      return block.sceneId === 0 ? t("missing.scene") : null;
    case "notify":
      return String(block.title ?? "").trim() === "" ? t("missing.message") : null;
    case "event":
      return String(block.kind ?? "").trim() === "" ? t("missing.event") : null;
    case "sequence":
    case "all":
    case "any": {
      const inner = [block.actions, block.conditions].find(Array.isArray) ?? [];
      if (block.type === "sequence" && inner.length === 0) return t("missing.action");
      return (inner as Block[]).map(lackOf).find((text) => text !== null) ?? null; // made by the editor
    }
    case "not":
      return lackOf(block.condition as Block); // made by the editor
    default:
      return null;
  }
}
