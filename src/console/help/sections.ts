/** A chapter of the manual by its sections: their ids, what is related to them, and the search in them. */
import { plain } from "../components/plain.ts";
import { unbroken } from "../i18n/unbroken.ts";

/** What stands under one heading, up to the next heading of any level. */
export interface Section {
  /** The same in every language: of the English heading, or of an `<a id="…"></a>` before it. */
  readonly id: string;
  readonly title: string;
  /** The id of the `##` that it is part of; its own where it is one. */
  readonly part: string;
  /** Markdown, without the heading. */
  readonly text: string;
}

/** A section that fits a search, with the sentence that shows it best. */
export interface Found<Of extends Section = Section> {
  readonly section: Of;
  readonly sentence: string;
}

/** A line that names the heading after it. */
export const NAMED = /^<a id="([\w-]+)"><\/a>$/;

/** The id of a heading, as links within the manual write it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\s-]/gu, "")
    .trim()
    .replaceAll(/\s+/g, "-");
}

/** The sections of a chapter. What stands before the first heading below the title belongs to the title. */
export function sectionsOf(markdown: string): readonly Section[] {
  const found: { id: string; title: string; part: string; lines: string[] }[] = [];
  let named: string | null = null;
  let part = "";
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? null : /^(#{1,4}) (.*)$/.exec(line);
    const name = NAMED.exec(line)?.[1];
    if (name !== undefined) named = name;
    else if (heading !== null) {
      const title = heading[2] ?? "";
      const id = named ?? anchorOf(title);
      named = null;
      if ((heading[1]?.length ?? 0) <= 2) part = id;
      found.push({ id, title, part, lines: [] });
    } else found.at(-1)?.lines.push(line);
  }
  return found.map(({ lines, ...section }) => ({ ...section, text: lines.join("\n").trim() }));
}

/** How many related sections are shown. */
const RELATED = 4;

/** What to read next: the sections that this one links to, then its neighbours. */
export function relatedTo(section: Section, sections: readonly Section[]): readonly Section[] {
  const linked = [...section.text.matchAll(/\]\(#([\w-]+)\)/g)].map(([, id]) => sections.find((one) => one.id === id));
  const at = sections.indexOf(section);
  const far = (one: Section): number =>
    Math.abs(sections.indexOf(one) - at) + (one.part === section.part ? 0 : sections.length);
  const near = [...sections].sort((one, other) => far(one) - far(other));
  const fit = [...linked, ...near].filter(
    (one): one is Section => one !== undefined && one !== section && one.text !== "",
  );
  return [...new Set(fit)].slice(0, RELATED);
}

/** A text without the signs of Markdown, in pieces: paragraphs, items, rows. */
function piecesOf(markdown: string): string[] {
  return markdown
    .replaceAll(/^(```.*|\|[\s:|-]+\||!\[.*|<!--.*)$/gm, "")
    .split(/\n\s*\n|\n(?=\s*(?:[*|-]|\d+\.)\s)/)
    .map((piece) =>
      piece
        .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
        .replaceAll(/^\s*(?:[*-]|\d+\.)\s+|\*\*|`|(?<!\w)\*|\*(?!\w)/gm, "")
        .replaceAll(/\s*\|\s*/g, " · ")
        .replaceAll(/^ · | · $/g, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((piece) => piece !== "");
}

/** Words to look for; short ones of Latin letters only where there are no others. */
function wordsOf(text: string): readonly string[] {
  const all = plain(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);
  const long = all.filter((word) => word.length > 2 || !/^[a-z]+$/.test(word));
  return long.length === 0 ? all : long;
}

/** Letters that a word keeps when it is looked for without its ending: `cameras` and `camera`, `कैमरों` and `कैमरे`. */
const STEM = 4;
const IN_WORD = /[\p{L}\p{M}\p{N}]/u;

/** The form in which a word is in a text: as it is, or the beginning of a word without its ending; null: in none. */
function formIn(folded: string, word: string): { readonly form: string; readonly isStem: boolean } | null {
  if (folded.includes(word)) return { form: word, isStem: false };
  for (const form of [word.slice(0, -1), word.slice(0, -2)])
    if (form.length >= STEM && beginsWord(folded, form)) return { form, isStem: true };
  return null;
}

function beginsWord(folded: string, form: string): boolean {
  for (let at = folded.indexOf(form); at !== -1; at = folded.indexOf(form, at + 1))
    if (at === 0 || !IN_WORD.test(folded[at - 1] ?? "")) return true;
  return false;
}

interface Fit {
  readonly hits: ReadonlySet<string>;
  readonly sum: number;
}

/** Which of `words` are in a text, and how well they fit. */
function fitOf(folded: string, words: readonly string[], weight: number): Fit {
  const hits = new Set<string>();
  let sum = 0;
  for (const word of words) {
    const found = formIn(folded, word);
    if (found === null) continue;
    hits.add(word);
    sum += weight * (found.isStem ? 1 : beginsWord(folded, word) ? 3 : 2);
  }
  return { hits, sum };
}

/** How many sections a search shows. */
const SHOWN = 12;
/** A word in a title counts as several in the text. */
const TITLE = 4;

/**
 * The sections that contain every word of `text`, in whatever form; or most of its words where none has them all. The
 * best come first, of equal ones the earlier. `bonusOf`: what a section counts for more than others.
 */
export function searchSections<Of extends Section>(
  sections: readonly Of[],
  text: string,
  bonusOf: (section: Of) => number = () => 0,
): readonly Found<Of>[] {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const fits = sections.flatMap((section, index) => {
    const folded = foldedOf(section);
    const title = fitOf(folded.title, words, TITLE);
    const body = fitOf(folded.text, words, 1);
    const count = new Set([...title.hits, ...body.hits]).size;
    return count === 0 ? [] : [{ section, count, sum: title.sum + body.sum + bonusOf(section), index }];
  });
  const most = Math.max(...fits.map(({ count }) => count));
  return fits
    .filter(({ count }) => count === most)
    .sort((one, other) => other.sum - one.sum || one.index - other.index)
    .slice(0, SHOWN)
    .map(({ section }) => ({ section, sentence: shortened(bestSentence(section, words), words) }));
}

/** The sentence of a section that fits best; the first where none does. */
function bestSentence(section: Section, words: readonly string[]): string {
  const { sentences } = foldedOf(section);
  const scored = sentences.map(({ text, folded }) => ({ text, sum: fitOf(folded, words, 1).sum }));
  const first = { text: sentences[0]?.text ?? "", sum: 0 };
  return scored.reduce((one, other) => (other.sum > one.sum ? other : one), first).text;
}

/** A section as it is searched. */
interface Folded {
  readonly title: string;
  readonly text: string;
  readonly sentences: readonly { readonly text: string; readonly folded: string }[];
}

/** Every typed letter asks for the whole manual again. */
const known = new WeakMap<Section, Folded>();

function foldedOf(section: Section): Folded {
  const before = known.get(section);
  if (before !== undefined) return before;
  const sentences = sentencesOf(section.text).map((text) => ({ text, folded: plain(text) }));
  const text = sentences.map(({ folded }) => folded).join(" ");
  const folded = { title: plain(section.title), text, sentences };
  known.set(section, folded);
  return folded;
}

/** Letters of a sentence that a result shows. */
const SENTENCE = 160;

/** What a section begins with. */
export function firstSentence(section: Section): string {
  return sentencesOf(section.text)[0] ?? "";
}

function sentencesOf(markdown: string): string[] {
  return piecesOf(markdown).flatMap((piece) => piece.split(/(?<=[.?!।])\s+(?=[\p{Lu}\p{Lo}“"])/u).map(unbroken));
}

/** A long sentence from some words before the first hit on. */
function shortened(sentence: string, words: readonly string[]): string {
  if (sentence.length <= SENTENCE) return sentence;
  const [start, hit] = marked(sentence, words.join(" "));
  const before = hit === undefined || start?.isHit !== false ? 0 : start.text.length;
  const from = before < SENTENCE / 2 ? 0 : sentence.lastIndexOf(" ", before - SENTENCE / 4) + 1;
  const to = from + SENTENCE >= sentence.length ? sentence.length : sentence.lastIndexOf(" ", from + SENTENCE);
  return `${from > 0 ? "… " : ""}${sentence.slice(from, to)}${to < sentence.length ? " …" : ""}`;
}

/** A sentence in parts: those that fit a search, and the others. */
export function marked(sentence: string, text: string): readonly { readonly text: string; readonly isHit: boolean }[] {
  const letters = [...sentence];
  const places: number[] = [];
  let folded = "";
  for (const [index, letter] of letters.entries()) {
    const one = plain(letter);
    folded += one;
    for (let n = 0; n < one.length; n++) places.push(index);
  }
  const isHit = letters.map(() => false);
  for (const whole of wordsOf(text)) {
    const word = formIn(folded, whole)?.form ?? whole;
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + word.length)) {
      const end = places[at + word.length] ?? letters.length; // with the marks that belong to its last letter
      for (let n = places[at] ?? 0; n < end; n++) isHit[n] = true;
    }
  }
  const parts: { text: string; isHit: boolean }[] = [];
  for (const [index, letter] of letters.entries()) {
    const last = parts.at(-1);
    const hit = isHit[index] ?? false;
    if (last?.isHit === hit) last.text += letter;
    else parts.push({ text: letter, isHit: hit });
  }
  return parts;
}
