/**
 * The form in which names of persons are compared: what looks the same, or differs in case, spaces or invisible
 * characters only, is the same name (Unicode's NFKC and case folding).
 */
export function personNameKey(name: string): string {
  const visible = name.normalize("NFKC").replaceAll(/[\p{Cf}\p{Cc}]/gu, "");
  return visible.replaceAll(/\s+/gu, " ").trim().toUpperCase().toLowerCase().normalize("NFKC");
}
