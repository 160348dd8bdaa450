/**
 * The countries whose plates are known, one file each: to add a country, add its file to `countries/` and its line
 * here.
 */
import ar from "./countries/ar.json" with { type: "json" };
import bg from "./countries/bg.json" with { type: "json" };
import br from "./countries/br.json" with { type: "json" };
import ch from "./countries/ch.json" with { type: "json" };
import cz from "./countries/cz.json" with { type: "json" };
import de from "./countries/de.json" with { type: "json" };
import dk from "./countries/dk.json" with { type: "json" };
import es from "./countries/es.json" with { type: "json" };
import fi from "./countries/fi.json" with { type: "json" };
import fr from "./countries/fr.json" with { type: "json" };
import gb from "./countries/gb.json" with { type: "json" };
import it from "./countries/it.json" with { type: "json" };
import lt from "./countries/lt.json" with { type: "json" };
import nl from "./countries/nl.json" with { type: "json" };
import no from "./countries/no.json" with { type: "json" };
import pl from "./countries/pl.json" with { type: "json" };
import pt from "./countries/pt.json" with { type: "json" };
import ro from "./countries/ro.json" with { type: "json" };
import se from "./countries/se.json" with { type: "json" };
import sk from "./countries/sk.json" with { type: "json" };
import ua from "./countries/ua.json" with { type: "json" };
import us from "./countries/us.json" with { type: "json" };

/**
 * What is known about a country's plates. A shape is a plate with L for each letter and D for each digit, without
 * separators.
 */
export interface Country {
  readonly name: string;
  /** Shapes that are believed as they are, whichever countries the household chose. */
  readonly shapes: readonly string[];
  /** Shapes that signs have, too: believed only if the household chose the country. */
  readonly whenChosen: readonly string[];
}

/**
 * By ISO 3166 code in capitals. India is not among them: its layouts are rules of their own (forms.ts) and always
 * apply.
 */
export const COUNTRIES: Readonly<Record<string, Country>> = {
  AR: ar,
  BG: bg,
  BR: br,
  CH: ch,
  CZ: cz,
  DE: de,
  DK: dk,
  ES: es,
  FI: fi,
  FR: fr,
  GB: gb,
  IT: it,
  LT: lt,
  NL: nl,
  NO: no,
  PL: pl,
  PT: pt,
  RO: ro,
  SE: se,
  SK: sk,
  UA: ua,
  US: us,
};

/** The countries whose plates a household sees besides India's: which texts have the shape of a plate. */
export class Countries {
  /** All known ones, for a household that chose none. */
  static readonly all = new Countries([]);
  readonly #shapes: ReadonlySet<string>;

  /** @param codes the chosen ones, by the keys of {@link COUNTRIES}; none: all */
  constructor(codes: readonly string[]) {
    const chosen = codes.flatMap((code) => COUNTRIES[code] ?? []);
    this.#shapes = new Set(
      codes.length === 0
        ? Object.values(COUNTRIES).flatMap(({ shapes }) => shapes)
        : chosen.flatMap(({ shapes, whenChosen }) => [...shapes, ...whenChosen]),
    );
  }

  /** The shapes of this length. */
  shapesOfLength(length: number): string[] {
    return [...this.#shapes].filter((shape) => shape.length === length);
  }

  /** Whether the text has the shape of a plate from one of them. */
  havePlatesLike(text: string): boolean {
    return this.#shapes.has(text.replaceAll(/[A-Z]/g, "L").replaceAll(/[0-9]/g, "D"));
  }
}
