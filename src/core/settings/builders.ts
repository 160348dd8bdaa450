import { type TProperties, Type } from "typebox";

/** A text in every language. */
type Text = { readonly en: string; readonly hi: string };

/** What every setting declares about itself. */
export interface About<Value> {
  readonly default: Value;
  /** Environment variable that sets it. */
  readonly env: string;
  /** On the settings page. */
  readonly name: Text;
  /** What it means; the API has the English. */
  readonly help: Text;
  /** Other words that people search it by, parted by spaces; never shown. */
  readonly words?: Text;
  /** False if a change in the console takes effect at once; default true. */
  readonly restart?: boolean;
  /**
   * True if a signed-in owner changes it without a fresh proof: how fast, how much at a time, the log's form. Every
   * other setting affects who reaches the hub, what is trusted, where data goes, or what is deleted.
   */
  readonly everyday?: boolean;
  /** True if the people of a house set it; everything else is for an installer, and the settings page shows it last. */
  readonly common?: boolean;
}

/** The sections of the settings page. */
export type Part = "home" | "gate" | "kept" | "safety" | "network" | "upkeep";

/** What a group declares about itself. */
export interface AboutGroup {
  /** On the settings page, and in docs/settings.md. */
  readonly name: Text;
  /** Its section of the settings page, and its rank there. */
  readonly part: Part;
  readonly at: number;
}

/** A group of settings. */
export const group = <Fields extends TProperties>(about: AboutGroup, fields: Fields) =>
  Object.assign(Type.Object(fields), about);

/** A whole number within bounds. */
export const whole = (about: About<number> & { readonly minimum: number; readonly maximum: number }) =>
  Type.Integer({ restart: true, ...about });
/** A number within bounds. */
export const decimal = (about: About<number> & { readonly minimum: number; readonly maximum: number }) =>
  Type.Number({ restart: true, ...about });
/** True or false. */
export const flag = (about: About<boolean>) => Type.Boolean({ restart: true, ...about });
/** A text. */
export const text = (about: About<string> & { readonly pattern?: string; readonly maxLength?: number }) =>
  Type.String({ restart: true, maxLength: 400, ...about });
/** A list of texts. */
export const list = ({ item, ...about }: About<string[]> & { readonly item: string }) =>
  Type.Array(Type.String({ pattern: item }), { restart: true, maxItems: 50, ...about });
/** One of a few words; `choices`: what the settings page calls them. */
export const choice = <const Names extends readonly [string, ...string[]]>(
  names: Names,
  about: About<Names[number]> & { readonly choices?: Readonly<Partial<Record<Names[number], Text>>> },
) => Type.Unsafe<Names[number]>({ ...Type.Enum([...names], { restart: true, ...about }) });
