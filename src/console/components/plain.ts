/**
 * A text in the form in which texts are compared: small, without accents. In Hindi the vowel signs stay; the dot below
 * a letter, which many keyboards leave out, and the difference between the two signs of a nasal vowel do not.
 */
export function plain(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f\u093c\u200c\u200d]/g, "")
    .replaceAll("\u0901", "\u0902")
    .replaceAll("\u00a0", " ")
    .toLowerCase();
}
