/**
 * The one schema of everything that can be configured: default, limits, meaning, environment variable, and whether a
 * change needs a restart. The loader, the console's settings page and docs/settings.md are made from it. Must never
 * know where a value comes from.
 */
import { type Static, type TObject, type TSchema, Type } from "typebox";
import { backups, box, updates } from "./groups-appliance.ts";
import { bridge } from "./groups-bridge.ts";
import {
  access,
  demo,
  devices,
  discovery,
  feed,
  log,
  metrics,
  notify,
  rates,
  site,
  telemetry,
  webhooks,
} from "./groups-household.ts";
import { matter } from "./groups-matter.ts";
import { http, mqtt, storage, tls } from "./groups-network.ts";
import { outsideBroker } from "./groups-outside.ts";
import { gate, plates, recognition } from "./groups-plates.ts";
import { sntp } from "./groups-sntp.ts";

/** All settings in their groups. */
export const SETTINGS_SCHEMA = Type.Object({
  storage,
  http,
  tls,
  mqtt,
  devices,
  bridge,
  outsideBroker,
  telemetry,
  feed,
  notify,
  webhooks,
  plates,
  recognition,
  gate,
  rates,
  access,
  site,
  log,
  metrics,
  discovery,
  sntp,
  matter,
  backups,
  updates,
  box,
  demo,
});

/** Every setting with its value. */
export type Settings = Static<typeof SETTINGS_SCHEMA>;

/** One setting as the schema describes it. */
export interface SettingField {
  /** `group.name`, as in the settings file and on the command line. */
  readonly key: string;
  readonly group: string;
  readonly name: string;
  readonly env: string;
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

/** All settings as a flat table, in the order of the schema. */
export function settingFields(): SettingField[] {
  return Object.entries(SETTINGS_SCHEMA.properties).flatMap(([group, schema]) =>
    // every member of the root is an object of settings
    Object.entries((schema as TObject).properties).map(([name, leaf]) => describeField(group, name, leaf)),
  );
}

/** JSON Schema keywords that occur in a leaf of the schema above. */
interface Leaf {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly pattern?: string };
  readonly env: string;
  readonly description: string;
  readonly default: unknown;
  readonly restart: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

function describeField(group: string, name: string, schema: TSchema): SettingField {
  const leaf = schema as Leaf; // built by the helpers at the top of this file
  return {
    key: `${group}.${name}`,
    group,
    name,
    env: leaf.env,
    description: leaf.description,
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
