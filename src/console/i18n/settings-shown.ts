import type { Part } from "../../core/settings/builders.ts";
import type { Language } from "../../core/text/render.ts";

type Named = Readonly<Record<Language, string>>;

/** What the page shows besides the answer of the hub, which has the English of the meaning. */
export interface SettingsShown {
  /** In the order of the page. */
  readonly groups: readonly { readonly group: string; readonly name: Named; readonly part: Part }[];
  /** By `group.name`. */
  readonly settings: Readonly<
    Record<
      string,
      {
        readonly name: Named;
        readonly help: { readonly hi: string };
        /** Other words that it is searched by. */
        readonly words?: Named;
        /** The people of a house set it; else an installer. */
        readonly common: boolean;
        readonly choices: Readonly<Record<string, Named>>;
      }
    >
  >;
}
