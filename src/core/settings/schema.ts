/**
 * Everything that can be configured, as its features declare it (src/settings.ts): default, limits, meaning, environment
 * variable, and whether a change needs a restart. The loader, the console's settings page and docs/settings.md are made
 * from it. Must never know where a value comes from.
 */
import type { Static, TProperties, TSchema } from "typebox";
import { SETTINGS } from "../../settings.ts";
import type { About, AboutGroup } from "./builders.ts";

/** Every setting with its value. */
export type Settings = Static<typeof SETTINGS>;

/** One setting as the schema describes it. */
export interface SettingField {
  /** `group.name`, as in the settings file and on the command line. */
  readonly key: string;
  readonly group: string;
  readonly name: string;
  readonly env: string;
  /** What it means, in English. */
  readonly description: string;
  readonly default: unknown;
  readonly restart: boolean;
  readonly kind: "integer" | "number" | "boolean" | "string" | "choice" | "list";
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly maxLength: number | null;
  readonly pattern: string | null;
  readonly choices: readonly string[] | null;
}

/** The groups with what they declare, in order. */
export function settingGroups(): readonly (AboutGroup & {
  readonly group: string;
  readonly fields: readonly SettingField[];
})[] {
  return Object.entries(SETTINGS.properties).map(([group, schema]) => {
    const { name, part, at } = schema;
    const properties: TProperties = schema.properties;
    const fields = Object.entries(properties).map(([name, leaf]) => describeField(group, name, leaf));
    return { group, name, part, at, fields };
  });
}

/** All settings as a flat table, in the order of the schema. */
export function settingFields(): SettingField[] {
  return settingGroups().flatMap(({ fields }) => fields);
}

/** Whether a setting (`group.name`) may be changed without a fresh proof; an unknown one may not. */
export function isEverydaySetting(key: string): boolean {
  return EVERYDAY.has(key);
}

const EVERYDAY: ReadonlySet<string> = new Set(
  Object.entries(SETTINGS.properties).flatMap(([group, schema]) => {
    const leaves: [string, TSchema][] = Object.entries(schema.properties);
    return leaves.flatMap(([name, leaf]) => (leafOf(leaf).everyday === true ? [`${group}.${name}`] : []));
  }),
);

/** JSON Schema keywords that occur in a leaf of the schema above. */
interface Leaf extends About<unknown> {
  readonly restart: boolean;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly pattern?: string };
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

function leafOf(schema: TSchema): Leaf {
  return schema as Leaf; // made by the helpers of builders.ts
}

/** The name and meaning of each setting in every language, by `group.name`. */
export function settingTexts(): ReadonlyMap<string, Pick<About<unknown>, "name" | "help">> {
  return new Map(
    Object.entries(SETTINGS.properties).flatMap(([group, schema]) => {
      const leaves: [string, TSchema][] = Object.entries(schema.properties);
      return leaves.map(([name, leaf]) => [`${group}.${name}`, leafOf(leaf)] as const);
    }),
  );
}

function describeField(group: string, name: string, schema: TSchema): SettingField {
  const leaf = leafOf(schema);
  return {
    key: `${group}.${name}`,
    group,
    name,
    env: leaf.env,
    description: leaf.help.en,
    default: leaf.default,
    restart: leaf.restart,
    kind: kindOf(leaf),
    minimum: leaf.minimum ?? null,
    maximum: leaf.maximum ?? leaf.maxItems ?? null,
    maxLength: leaf.maxLength ?? null,
    pattern: leaf.pattern ?? leaf.items?.pattern ?? null,
    choices: leaf.enum ?? null,
  };
}

function kindOf(leaf: Leaf): SettingField["kind"] {
  if (leaf.enum) return "choice";
  if (leaf.type === "array") return "list";
  if (leaf.type === "integer" || leaf.type === "number" || leaf.type === "boolean") return leaf.type;
  return "string";
}
