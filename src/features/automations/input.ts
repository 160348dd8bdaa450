/**
 * Turns a caller's input into a rule, or reports by JSON pointer what is wrong with it. The shapes are the contract's
 * schemas; what a schema cannot express (nesting depth, who owns a device) is checked here.
 */

import { isDeepStrictEqual } from "node:util";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { type GradualSchema, gradually } from "../../core/api/compile-in-turns.ts";
import { QUICKLY_COMPILED } from "../../core/api/quickly-compiled.ts";
import { refusalValues } from "../../core/api/refusal-values.ts";
import { isJsonObject, type JsonObject } from "../../core/kernel/json-object.ts";
import { Problem, type ProblemDetail } from "../../core/kernel/problem.ts";
import { typedPlate } from "../../core/plates/analyse.ts";
import type { Countries } from "../../core/plates/countries.ts";
import type { Device } from "../devices/device.ts";
import type { House } from "./house.ts";
import { AUTOMATION_DEFINITIONS, AutomationInput, READ_ONLY_MEMBERS } from "./resources/automation.ts";
import { type Author, refuseBeyond } from "./rights.ts";
import {
  type Action,
  type Condition,
  devicesNamed,
  personsWatched,
  type RuleBody,
  type SimpleTrigger,
  type Step,
  stepsOf,
  type Trigger,
  triggersOf,
} from "./rules/rule.ts";

/** The part of the house that a rule may name. */
interface KnownThings {
  readonly registry: { find(id: string): Pick<Device, "siteId"> | null };
  readonly accounts: Pick<House["accounts"], "personsOf">;
  readonly scenes: Pick<House["scenes"], "devicesOf">;
  readonly countries: Countries;
}

/** Commands have the same limit as at the command endpoint. */
const MAX_COMMAND_BYTES = 16_384;
const MAX_COMMAND_DEPTH = 16;
export const MAX_NESTING = 8;
const MAX_STEPS = 100;
export const MAX_CONDITIONS = 100;

/** Wrapped around a part that is checked by itself. */
const ANY_RULE = {
  name: "-",
  trigger: { type: "interval", everySeconds: 1 },
  action: { type: "delay", seconds: 0 },
} as const;

/** The members that a caller may write. */
const INPUT_FIELDS = ["name", "enabled", "trigger", "conditions", "action", "mode", "cooldownSeconds"] as const;

/** Those that determine what the rule does, and when. */
const REWRITING = ["trigger", "conditions", "action", "mode", "cooldownSeconds"] as const;

/** A schema's keyword → the code of a field error, the same words as for every other body. */
const CODES: Readonly<Record<string, string>> = {
  type: "wrong_type",
  const: "not_allowed",
  minLength: "too_short",
  maxLength: "too_long",
  minimum: "out_of_range",
  maximum: "out_of_range",
  minItems: "too_few",
  maxItems: "too_many",
};

/** Checks rule bodies. */
export class InputCheck {
  readonly #known: KnownThings;

  constructor(known: KnownThings) {
    this.#known = known;
  }

  /** Makes the first check cheap: compiles the schema with everything else served in between. */
  async ready(): Promise<void> {
    await schemaOfRules().ready();
  }

  /**
   * The rule that `body` describes, defaults filled in.
   * @throws Problem `invalid_body` with JSON pointers; `insufficient_scope` for parts its author may not do;
   *   `invalid_plate`; `device_not_owned` with `deviceIds`; `unknown_scene`.
   */
  whole(siteId: number, body: unknown, by: Author): RuleBody {
    const rule = this.#sound(body);
    refuseBeyond(rule, by);
    return this.#references(siteId, rule);
  }

  /**
   * `stored` with the members of `patch` replacing its own, checked as a whole. An empty patch or an unknown member is
   * refused. What the rule names is looked up again only when the patch rewrites it or switches the rule on: a rule
   * whose device has been removed can still be renamed and switched off. A member that is sent back unchanged rewrites
   * nothing, and those that only the hub writes are ignored. A caller that rewrites what a rule does is the author of
   * the whole rule from then on (`rewritten`); renaming it and switching it on or off does not count. A caller that
   * switches it on (`switchedOn`) must be allowed to do what it does. `saysOn`: the patch asks for it, whether or not
   * it was on.
   */
  merged(
    siteId: number,
    stored: RuleBody,
    given: unknown,
    by: Author,
  ): { readonly rule: RuleBody; readonly rewritten: boolean; readonly switchedOn: boolean; readonly saysOn: boolean } {
    if (!isJsonObject(given))
      throw invalidBody([{ field: "", code: "wrong_type", message: "The body must be a JSON object." }]);
    const patch = Object.fromEntries(
      Object.entries(given).filter(([member]) => !READ_ONLY_MEMBERS.some((name) => name === member)),
    );
    if (Object.keys(patch).length === 0)
      throw invalidBody([
        { field: "", code: "empty", message: `At least one of ${INPUT_FIELDS.join(", ")} is needed.` },
      ]);
    const own = Object.fromEntries(INPUT_FIELDS.map((field) => [field, stored[field]]));
    const rule = this.#sound({ ...own, ...patch });
    const changed = new Set<string>(
      REWRITING.filter((field) => field in patch && !isDeepStrictEqual(rule[field], stored[field])),
    );
    const rewritten = changed.size > 0;
    const switchedOn = rule.enabled && !stored.enabled;
    if (rewritten || switchedOn) refuseBeyond(rule, by);
    const lookedUp = changed.has("trigger") || changed.has("conditions") || changed.has("action") || switchedOn;
    return {
      rule: lookedUp ? this.#references(siteId, rule) : rule,
      rewritten,
      switchedOn,
      saysOn: patch.enabled === true,
    };
  }

  /** Whether this can be the trigger of a rule; referenced objects are not looked up. */
  isTrigger(part: unknown): part is Trigger {
    return this.#fits({ trigger: part });
  }

  /** Whether this can be a condition of a rule, with everything in it; referenced objects are not looked up. */
  isCondition(part: unknown): part is Condition {
    return this.#fits({ conditions: [part] });
  }

  /** The parts go through the schema of whole rules, so that there is only one. */
  #fits(parts: { readonly trigger?: unknown; readonly conditions?: readonly unknown[] }): boolean {
    return schemaOfRules().validate()({ ...ANY_RULE, ...parts });
  }

  #sound(body: unknown): RuleBody {
    const rule = this.#shape(body);
    const details = [...nameDetails(rule.name), ...conditionDetails(rule), ...actionDetails(rule.action)];
    if (details.length > 0) throw invalidBody(details);
    return { ...rule, name: rule.name.trim() };
  }

  #shape(body: unknown): RuleBody {
    const validate = schemaOfRules().validate();
    if (!validate(body)) throw invalidBody(toDetails(validate.errors ?? []));
    // checked by the schema just before
    const input = body as Pick<RuleBody, "name" | "trigger" | "action"> & Partial<RuleBody>;
    return {
      name: input.name,
      enabled: input.enabled ?? true,
      trigger: input.trigger,
      conditions: input.conditions ?? [],
      action: input.action,
      mode: input.mode ?? "single",
      cooldownSeconds: input.cooldownSeconds ?? 0,
    };
  }

  #references(siteId: number, rule: RuleBody): RuleBody {
    const foreign = devicesNamed(rule).filter((id) => this.#known.registry.find(id)?.siteId !== siteId);
    if (foreign.length > 0) {
      throw new Problem(
        "device_not_owned",
        `The rule names ${foreign.length === 1 ? "a device" : "devices"} that the account does not own: ${foreign.join(", ")}.`,
        {
          fields: { deviceIds: foreign },
        },
      );
    }
    for (const { value: step, pointer } of stepsWithPointers(rule.action, "/action")) {
      this.#persons(siteId, step, pointer);
      if (step.type !== "scene" || this.#known.scenes.devicesOf(siteId, step.sceneId) !== null) continue;
      throw new Problem("unknown_scene", `There is no scene ${step.sceneId}.`, {
        details: [{ field: `${pointer}/sceneId`, code: "unknown_scene", message: "The account has no such scene." }],
      });
    }
    this.#watched(siteId, rule);
    const { trigger } = rule;
    if (trigger.type !== "any") return { ...rule, trigger: this.#normalised(trigger, "/trigger") };
    const triggers = trigger.triggers.map((one, index) => this.#normalised(one, `/trigger/triggers/${index}`));
    return { ...rule, trigger: { ...trigger, triggers } };
  }

  /** @throws Problem `invalid_body` for a message to somebody who is not in the household */
  #persons(siteId: number, step: Step, pointer: string): void {
    if (step.type !== "notify" || step.to === undefined) return;
    const known = new Set(this.#known.accounts.personsOf(siteId).map(({ id }) => `person:${id}`));
    const index = step.to.findIndex((one) => one !== "owners" && !known.has(one));
    if (index !== -1)
      throw invalidBody([
        {
          ...NOT_THERE,
          field: `${pointer}/to/${index}`,
        },
      ]);
  }

  /** @throws Problem `invalid_body` for the coming and going of somebody who is not in the household */
  #watched(siteId: number, { trigger, conditions }: RuleBody): void {
    const known = new Set(this.#known.accounts.personsOf(siteId).map(({ id }) => id));
    const parts = [
      ...triggersOf({ trigger }).map((part, index) => ({
        watched: personsWatched({ trigger: part, conditions: [] }),
        field: trigger.type === "any" ? `/trigger/triggers/${index}` : "/trigger",
      })),
      ...conditions.map((part, index) => ({
        watched: personsWatched({ trigger: NOBODY, conditions: [part] }),
        field: `/conditions/${index}`,
      })),
    ];
    const wrong = parts.find(({ watched }) => watched.some((id) => !known.has(id)));
    if (wrong !== undefined) throw invalidBody([{ ...NOT_THERE, field: `${wrong.field}/person` }]);
  }

  /** A trigger with its plate as camera reads carry it. @throws Problem `invalid_plate` */
  #normalised(trigger: SimpleTrigger, field: string): SimpleTrigger {
    if (trigger.type !== "plate" || trigger.plate === undefined) return trigger;
    const plate = typedPlate(trigger.plate, this.#known.countries).plate;
    if (plate !== null) return { ...trigger, plate };
    throw new Problem("invalid_plate", `'${trigger.plate}' cannot be a number plate.`, {
      details: [{ field: `${field}/plate`, code: "invalid_plate", message: "This text cannot be a number plate." }],
    });
  }
}

const NOT_THERE = { code: "unknown_person", message: "There is no such person in the household." } as const;
/** A trigger that names nobody. */
const NOBODY: SimpleTrigger = { type: "interval", everySeconds: 1 };

let schema: GradualSchema | null = null;

/** The schema of rule bodies, compiled once in a process. */
function schemaOfRules(): GradualSchema {
  if (schema !== null) return schema;
  const ajv = new Ajv2020({
    allErrors: true,
    discriminator: true,
    strict: false,
    validateFormats: false,
    ...QUICKLY_COMPILED,
  });
  schema = gradually(ajv, AutomationInput, AUTOMATION_DEFINITIONS);
  return schema;
}

function invalidBody(details: readonly ProblemDetail[]): Problem {
  const first = details[0];
  const message =
    first === undefined
      ? "The rule is not valid."
      : `The rule is not valid: ${first.field === "" ? "" : `${first.field}: `}${first.message}`;
  return new Problem("invalid_body", message, { details });
}

/** One detail per field, in the order found: a wrong `type` makes the rest of its object meaningless. */
function toDetails(errors: readonly ErrorObject[]): ProblemDetail[] {
  const byField = new Map<string, ProblemDetail>();
  for (const error of errors) {
    const detail = toDetail(error);
    if (!byField.has(detail.field)) byField.set(detail.field, detail);
  }
  return [...byField.values()];
}

function toDetail(error: ErrorObject): ProblemDetail {
  const { instancePath, keyword, params, message } = error;
  const inside = (name: unknown): string =>
    `${instancePath}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  switch (keyword) {
    case "required":
      return { field: inside(params.missingProperty), code: "required", message: "This field is required." };
    case "additionalProperties":
      return params.additionalProperty === "value"
        ? { field: inside("value"), code: "unexpected", message: "This operator takes no value." }
        : { field: inside(params.additionalProperty), code: "unknown_field", message: "There is no such field here." };
    case "discriminator":
      if (params.tag === "op")
        return {
          field: inside("op"),
          code: params.error === "mapping" ? "not_allowed" : "required",
          message: "There is no such operator here.",
        };
      return params.error === "mapping"
        ? {
            field: inside("type"),
            code: "unknown_type",
            message: `There is no type '${String(params.tagValue)}' here.`,
          }
        : { field: inside("type"), code: "required", message: "The type must be a string." };
    case "enum":
      return {
        field: instancePath,
        code: "not_allowed",
        message: `Must be one of ${(params.allowedValues as unknown[]).join(", ")}.`,
      }; // ajv: params of enum
    case "pattern":
      return {
        field: instancePath,
        code: "bad_format",
        message: /\/(at|from|to)$/.test(instancePath)
          ? "Must be a clock time HH:MM, 00:00 to 23:59."
          : "Has a character that is not allowed, or is too long.",
      };
    default:
      // a device that was not chosen
      if (keyword === "minLength" && instancePath.endsWith("/deviceId"))
        return { field: instancePath, code: "required", message: "A device is required." };
      return {
        field: instancePath,
        code: CODES[keyword] ?? "invalid",
        message: `Value ${message ?? "is not valid"}.`,
        ...refusalValues(error),
      };
  }
}

function nameDetails(name: string): ProblemDetail[] {
  return name.trim() === "" ? [{ field: "/name", code: "required", message: "A name is required." }] : [];
}

function conditionDetails(rule: RuleBody): ProblemDetail[] {
  const details: ProblemDetail[] = [];
  let count = 0;
  const walk = (condition: Condition, pointer: string, depth: number): void => {
    count += 1;
    if (depth > MAX_NESTING)
      details.push({ field: pointer, code: "too_deep", message: `Conditions nest at most ${MAX_NESTING} deep.` });
    else if (condition.type === "not") walk(condition.condition, `${pointer}/condition`, depth + 1);
    else if (condition.type === "all" || condition.type === "any")
      for (const [i, inner] of condition.conditions.entries()) walk(inner, `${pointer}/conditions/${i}`, depth + 1);
  };
  for (const [i, condition] of rule.conditions.entries()) walk(condition, `/conditions/${i}`, 1);
  if (count > MAX_CONDITIONS)
    details.push({
      field: "/conditions",
      code: "too_many",
      message: `A rule has at most ${MAX_CONDITIONS} conditions.`,
    });
  return details;
}

function actionDetails(action: Action): ProblemDetail[] {
  const details: ProblemDetail[] = eitherWithin(action, "/action", true);
  for (const { value: step, pointer } of stepsWithPointers(action, "/action")) {
    if (pointer.split("/actions/").length - 1 > MAX_NESTING)
      details.push({ field: pointer, code: "too_deep", message: `Sequences nest at most ${MAX_NESTING} deep.` });
    if (step.type === "command") details.push(...commandDetails(step.command, `${pointer}/command`));
    if (step.type === "notify" && step.title.trim() === "")
      details.push({ field: `${pointer}/title`, code: "required", message: "A title is required." });
  }
  if (stepsOf(action).length > MAX_STEPS)
    details.push({ field: "/action", code: "too_many", message: `A rule has at most ${MAX_STEPS} steps.` });
  return details;
}

/** What is done otherwise belongs to the whole rule, whose conditions decide. */
function eitherWithin(action: Action, field: string, isWhole = false): ProblemDetail[] {
  if (action.type === "sequence")
    return action.actions.flatMap((inner, index) => eitherWithin(inner, `${field}/actions/${index}`));
  if (action.type !== "either") return [];
  if (!isWhole)
    return [{ field: `${field}/type`, code: "not_allowed", message: "Only a whole action can have an otherwise." }];
  return [...eitherWithin(action.do, `${field}/do`), ...eitherWithin(action.otherwise, `${field}/otherwise`)];
}

function commandDetails(command: JsonObject, field: string): ProblemDetail[] {
  if (Buffer.byteLength(JSON.stringify(command)) > MAX_COMMAND_BYTES)
    return [{ field, code: "too_long", message: "A command has at most 16 KiB." }];
  if (depthOf(command) > MAX_COMMAND_DEPTH)
    return [{ field, code: "too_deep", message: `A command nests at most ${MAX_COMMAND_DEPTH} deep.` }];
  return [];
}

function stepsWithPointers(action: Action, pointer: string): { value: Step; pointer: string }[] {
  if (action.type === "either")
    return [
      ...stepsWithPointers(action.do, `${pointer}/do`),
      ...stepsWithPointers(action.otherwise, `${pointer}/otherwise`),
    ];
  if (action.type !== "sequence") return [{ value: action, pointer }];
  return action.actions.flatMap((inner, i) => stepsWithPointers(inner, `${pointer}/actions/${i}`));
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
