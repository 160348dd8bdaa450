/** What a household is called that nobody has named, in both languages. */
const UNNAMED: ReadonlySet<string> = new Set(["Home", "घर"]);

/** The name that people gave their household; null if it has only the one that it came with. */
export function givenName(household: string): string | null {
  return UNNAMED.has(household) ? null : household;
}
