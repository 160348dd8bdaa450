import type { Language } from "../../core/text/render.ts";
import type { TextKey } from "../i18n/translate.ts";

/** How a page stands, in a few words. */
export interface Standing {
  readonly text: string;
  /** `advice`: something could be better; `bad`: something does not work. */
  readonly tone?: "advice" | "bad";
}

/** Something that a person looks for by its name, on a page that is not the list of settings. */
export interface Place {
  readonly title: TextKey;
  readonly to: string;
  /** The page, where its name says more than the title. */
  readonly on?: TextKey;
  /** Other words for it, parted by spaces; they are only searched, so they stand here. */
  readonly words: Readonly<Record<Language, string>>;
}

/** What a feature says about its pages where they are listed and searched. */
export interface Section {
  /**
   * By the path of the page; null: there is nothing to say. Asks the hub; may throw. Asked again when a signal changes
   * that was read before the first `await`.
   */
  readonly standings?: Readonly<Record<string, () => Promise<Standing | null>>>;
  readonly places?: readonly Place[];
}
