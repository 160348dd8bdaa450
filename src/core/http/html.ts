const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that is safe inside HTML elements and attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Plain sentences with `code` in backticks as HTML; paragraphs by blank lines, unless inline. */
export function prose(text: string, inParagraphs = true): string {
  if (text === "") return "";
  const inline = (part: string): string => escapeHtml(part).replace(/`([^`]+)`/g, "<code>$1</code>");
  return inParagraphs
    ? text
        .split("\n\n")
        .map((part) => `<p>${inline(part)}</p>`)
        .join("\n")
    : inline(text);
}

/** A table whose cells are HTML already. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("");
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}
