import { Type } from "typebox";

/** What every setting declares about itself. */
export interface About<Value> {
  readonly default: Value;
  /** Environment variable that sets it. */
  readonly env: string;
  readonly description: string;
  /** False if a change in the console takes effect at once; default true. */
  readonly restart?: boolean;
}

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
export const list = (about: About<string[]> & { readonly item: string }) =>
  Type.Array(Type.String({ pattern: about.item }), {
    restart: true,
    maxItems: 50,
    default: about.default,
    env: about.env,
    description: about.description,
  });
/** One of a few words. */
export const choice = <const Names extends readonly [string, ...string[]]>(names: Names, about: About<Names[number]>) =>
  Type.Unsafe<Names[number]>({ ...Type.Enum([...names], { restart: true, ...about }) });
