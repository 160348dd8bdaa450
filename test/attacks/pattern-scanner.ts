/** Finds the regular expressions of compiled code and the worst-case texts for them. */

/** A regular expression in the code. */
export interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** What may precede a regular expression; after anything else a slash divides. */
const BEFORE =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|of|in|do|else|void|await|yield|throw|new|delete))$/;

/** The regular expressions of a JavaScript text: a walk that knows strings, templates and comments. */
export function patternsIn(code: string): { readonly source: string; readonly flags: string }[] {
  const found: { source: string; flags: string }[] = [];
  /** Brace depths at which a template literal continues. */
  const templates: number[] = [];
  let depth = 0;
  let before = "";
  let at = 0;
  const template = (start: number): number => {
    for (let index = start; index < code.length; index++) {
      if (code[index] === "\\") index++;
      else if (code[index] === "`") return index + 1;
      else if (code[index] === "$" && code[index + 1] === "{") {
        templates.push(depth);
        depth++;
        return index + 2;
      }
    }
    return code.length;
  };
  while (at < code.length) {
    const character = code[at] ?? "";
    if (code.startsWith("//", at)) at = code.indexOf("\n", at) === -1 ? code.length : code.indexOf("\n", at);
    else if (code.startsWith("/*", at))
      at = code.indexOf("*/", at + 2) === -1 ? code.length : code.indexOf("*/", at + 2) + 2;
    else if (character === '"' || character === "'") {
      at++;
      while (at < code.length && code[at] !== character) at += code[at] === "\\" ? 2 : 1;
      at++;
      before = '"';
    } else if (character === "`") {
      at = template(at + 1);
      before = code[at - 1] === "{" ? "{" : '"';
    } else if (character === "/" && BEFORE.test(before)) {
      const end = endOfPattern(code, at + 1);
      const flags = /^[a-z]*/.exec(code.slice(end + 1, end + 10))?.[0] ?? "";
      found.push({ source: code.slice(at + 1, end), flags });
      at = end + 1 + flags.length;
      before = '"';
    } else {
      if (character === "{") depth++;
      if (character === "}" && templates.at(-1) === --depth) {
        templates.pop();
        at = template(at + 1);
        before = code[at - 1] === "{" ? "{" : '"';
        continue;
      }
      if (!/\s/.test(character)) before = (/\w/.test(character) ? before : "").slice(-12) + character;
      else if (/\w$/.test(before) && !BEFORE.test(before)) before = '"'; // a word has ended
      at++;
    }
  }
  return found;
}

function endOfPattern(code: string, start: number): number {
  let isClass = false;
  for (let at = start; at < code.length; at++) {
    const character = code[at];
    if (character === "\\") at++;
    else if (character === "[") isClass = true;
    else if (character === "]") isClass = false;
    else if (character === "/" && !isClass) return at;
    else if (character === "\n") throw new Error(`a pattern does not end: ${code.slice(start, start + 60)}`);
  }
  throw new Error("a pattern does not end");
}

/** Characters that represent character classes. */
const USUAL = [
  "a",
  "A",
  "0",
  "1",
  " ",
  "\t",
  "\n",
  "\r",
  "-",
  "_",
  ".",
  "/",
  ":",
  ";",
  ",",
  "=",
  "&",
  "%",
  "{",
  "}",
  "<",
  ">",
  '"',
  "'",
  "\\",
  "*",
  "#",
  "@",
  "é",
];

/** Texts to repeat: single characters, pairs of them, and words from the pattern. */
export function pumpsOf({ source }: Pick<Pattern, "source">): string[] {
  const own = [...new Set(source.replace(/\\[dwsbDWSB]/g, "").replace(/[\\^$()[\]?*+|{}]/g, " "))].filter(
    (character) => character !== " ",
  );
  const words = source.match(/[A-Za-z0-9_<>!=:"'-]{2,}/g) ?? [];
  const singles = [...new Set([...USUAL, ...own])];
  const pairs = own.slice(0, 8).flatMap((left) => ["a", "0", " ", ...own.slice(0, 8)].map((right) => left + right));
  return [...new Set([...singles, ...pairs, ...words])];
}

/** What may have to precede the repeated text: the start of the pattern itself. */
export function prefixesOf({ source }: Pick<Pattern, "source">): string[] {
  const plain = source.replace(/^\^/, "").replaceAll(/\\([^dwsbDWSB])/g, "$1");
  const words = plain.match(/[A-Za-z0-9_<>!=:"'@/%{-]+/g) ?? [];
  return [...new Set(["", ...words.slice(0, 4), plain.slice(0, 1), plain.slice(0, 2), "a", "0", "a=", "%"])];
}
