/** How lists of plates and names are searched. */

/** Whether an item's words contain every word of `wanted`; plates are found with and without spaces. */
export function withWords<Item>(wanted: string, wordsOf: (item: Item) => string): (item: Item) => boolean {
  const words = folded(wanted).split(" ").filter(Boolean);
  if (words.length === 0) return () => true;
  return (item) => {
    const about = folded(wordsOf(item));
    const together = about.replaceAll(" ", "");
    return words.every((word) => about.includes(word) || together.includes(word));
  };
}

/** Letters as they are compared: full-width as half-width, small, without accents and punctuation. */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll(/[-_.·,]/g, " ")
    .toLowerCase();
}
