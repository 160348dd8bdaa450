/** Names of rules: somebody's own, a starter's, or made from the rule's sentence while nobody has named it. */
import { saidIn, type Wording } from "../../../console/i18n/translate.ts";
import { asTyped } from "../../../console/i18n/unbroken.ts";
import { ruleInShort, type ToldRule } from "./rule-sentence.ts";
import { ENGLISH, HINDI, HINDI_WORDING, starterText } from "./stored-texts.ts";

const LONGEST_NAME = 120;

/** The name of a rule that nobody has named: its own sentence in short, in the reader's language. */
export function madeName(rule: ToldRule): string {
  const letters = [...asTyped(ruleInShort(rule))];
  return letters.length <= LONGEST_NAME ? letters.join("") : `${letters.slice(0, LONGEST_NAME - 1).join("")}…`;
}

/** Whether a rule has only the name that was made for it, in either language. */
export function isUnnamed(rule: ToldRule & { readonly name: string }): boolean {
  const { name } = rule;
  if (name === madeName(rule)) return true;
  return wordingsOf(name).some((wording) => saidIn(wording, () => madeName(rule)) === name);
}

/** The name of a rule as this reader knows it. */
export function shownName(rule: ToldRule & { readonly name: string }): string {
  return isUnnamed(rule) ? madeName(rule) : (starterText(rule.name) ?? rule.name);
}

/** The ways in which a name may have been written; English writes times in two. */
function wordingsOf(name: string): readonly Wording[] {
  if (HINDI.test(name)) return [HINDI_WORDING, ENGLISH, { language: "en", locale: "en-US" }];
  return [ENGLISH, { language: "en", locale: "en-US" }, { language: "en", locale: "en-IN" }];
}
