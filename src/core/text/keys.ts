import type { texts } from "../../texts.ts";

type Catalogue = typeof texts;

/** Key of a text of the hub. */
export type TextKey = keyof Catalogue;

/** What a text may contain. A value called `at` is a moment in ISO form. */
export type TextValue = string | number | Nested | readonly Nested[];

/** A {@link Detail} inside another text; its values are not followed further, which would never end. */
export interface Nested {
  readonly code: DetailCode;
  readonly [name: string]: TextValue;
}

/** The codes under a prefix of the catalogue. */
type CodesUnder<Prefix extends string> = TextKey extends infer Key
  ? Key extends `${Prefix}${infer Code}`
    ? Code
    : never
  : never;
type Text<Key> = Key extends TextKey ? Catalogue[Key]["en"] : "";

/** The values that an ICU message asks for; the message is followed from brace to brace. */
type ValuesOf<Message extends string> = InText<Message>;
type InText<Rest extends string> = Rest extends `${infer Before}{${infer After}`
  ? Before extends `${string}}${string}`
    ? Rest extends `${string}}${infer Next}`
      ? InChoices<Next>
      : unknown
    : InArgument<After>
  : Rest extends `${string}}${infer Next}`
    ? InChoices<Next>
    : unknown;
type InArgument<Rest extends string> = Rest extends `${infer Head}}${infer Next}`
  ? Head extends `${infer Name}, ${infer Kind}, ${string}`
    ? {
        readonly [Key in Name]: Kind extends "plural" ? number : string;
      } & (Rest extends `${Name}, ${Kind}, ${infer Choices}` ? InChoices<Choices> : unknown)
    : { readonly [Key in Head]: Key extends "at" ? string : TextValue } & InText<Next>
  : unknown;
/** Between the choices of a plural or select: either the next choice begins, or the argument ends. */
type InChoices<Rest extends string> = Rest extends `${infer Before}{${infer After}`
  ? Before extends `${string}}${string}`
    ? Rest extends `${string}}${infer Next}`
      ? InText<Next>
      : unknown
    : InText<After>
  : Rest extends `${string}}${infer Next}`
    ? InText<Next>
    : unknown;

type Flat<Values> = { readonly [Key in keyof Values]: Values[Key] };

/** What the activity feed can say, besides what people and devices write themselves. */
export type FeedText = {
  [Code in FeedCode]: Flat<
    { readonly code: Code } & ValuesOf<Text<`feed.title.${Code}`>> & ValuesOf<Text<`feed.body.${Code}`>>
  >;
}[FeedCode];
type FeedCode = CodesUnder<"feed.title.">;

/** What a health check can say. */
export type HealthText = {
  [Code in HealthCode]: Flat<{ readonly code: Code } & ValuesOf<Text<`health.${Code}`>>>;
}[HealthCode];
/** A health check. */
export type CheckCode = CodesUnder<"check.">;
type HealthCode = CodesUnder<"health.">;

/** A reason, inside another text or on its own. */
export type Detail = {
  [Code in DetailCode]: Flat<{ readonly code: Code } & ValuesOf<Text<`detail.${Code}`>>>;
}[DetailCode];
type DetailCode = CodesUnder<"detail.">;
