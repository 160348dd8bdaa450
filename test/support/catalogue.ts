import compile from "icu-minify/compile";

/** Names of the placeholders in an ICU message. @throws SyntaxError for an invalid message */
export function valuesIn(text = ""): string[] {
  const names = new Set<string>();
  const look = (node: unknown): void => {
    if (!Array.isArray(node)) return;
    const [name, , choices] = node as readonly unknown[]; // an argument of a message: its name, its kind, its choices
    names.add(String(name));
    if (typeof choices === "object" && choices !== null) for (const choice of Object.values(choices)) lookAtAll(choice);
  };
  const lookAtAll = (message: unknown): void => {
    if (Array.isArray(message)) for (const node of message) look(node);
  };
  lookAtAll(compile(text));
  return [...names].sort();
}

/** Keys of texts that are not in Hindi, although they have words besides their placeholders. */
export function untranslated(hi: Readonly<Record<string, string>>): string[] {
  const words = (text: string): string =>
    text.replace(/\{\w+\}/g, "").replace(/\{\w+, (plural|select),|(one|other|yes|in|out|=\d+) \{/g, "");
  return Object.keys(hi).filter(
    (key) => !/[\u0900-\u097F]/.test(hi[key] ?? "") && /[A-Za-z]/.test(words(hi[key] ?? "")),
  );
}
