/**
 * In a set-up document an automation names its scenes (`{"type": "scene", "scene": "Good night"}`); in the hub it has
 * their ids, which differ from hub to hub.
 */
import { Problem } from "../../core/kernel/problem.ts";
import { invalidAt } from "./places.ts";

interface Named {
  readonly id: number;
  readonly name: string;
}

/** A rule of a document with ids in place of scenes' names. @throws Problem naming the place of an unknown scene */
export function withSceneIds(rule: object, scenes: readonly Named[]): object {
  return mapped(rule, (step, place) => {
    if (typeof step.scene !== "string") return step;
    const { scene, ...rest } = step;
    const known = scenes.find(({ name }) => name === scene.trim()); // as scenes are stored
    if (known === undefined) throw invalidAt(`${place}/scene`, `there is no scene ${JSON.stringify(scene)}`);
    return { ...rest, sceneId: known.id };
  });
}

/**
 * A rule of the hub with names in place of scenes' ids.
 * @throws Problem `conflict` if a name would be ambiguous
 */
export function withSceneNames(rule: object, scenes: readonly Named[]): object {
  return mapped(rule, (step) => {
    if (typeof step.sceneId !== "number") return step;
    const { sceneId, ...rest } = step;
    const scene = scenes.find(({ id }) => id === sceneId);
    if (scene === undefined) return step;
    if (scenes.some(({ id, name }) => id !== sceneId && name === scene.name))
      throw new Problem(
        "conflict",
        `Two scenes are called ${JSON.stringify(scene.name)}, and an automation names one of them. Give one of them another name.`,
      );
    return { ...rest, scene: scene.name };
  });
}

type Step = Readonly<Record<string, unknown>>;

/**
 * The rule with `change` applied to its action and to each step of a sequence. The content of commands is not touched.
 */
function mapped(rule: object, change: (step: Step, place: string) => Step): object {
  const step = (value: unknown, at: string): unknown => {
    // the check of the rule reports what is wrong with it
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const given = value as Step; // an object, as just checked
    if (given.type === "scene") return change(given, at);
    if (given.type !== "sequence" || !Array.isArray(given.actions)) return given;
    return { ...given, actions: given.actions.map((inner: unknown, index) => step(inner, `${at}/actions/${index}`)) };
  };
  return "action" in rule ? { ...rule, action: step(rule.action, "/action") } : rule;
}
