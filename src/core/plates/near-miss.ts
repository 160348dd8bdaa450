import { longestCost, type WeighedView, weighed } from "./agree.ts";
import type { VehicleReading } from "./reading.ts";
import { isSimilar } from "./similar.ts";

/**
 * The most, in nats, by which the views may favour what was read over a listed plate, which is then at least a
 * twentieth as likely. A character that the reader sees clearly counts seven against any other.
 */
const MOST_AGAINST = 3;
/** If the views speak against another listed plate by no more than this, it may be meant as well. */
const MAY_BE_MEANT = 6;
/** Views that are asked, the most legible ones. */
const MOST_VIEWS = 12;
/** Listed plates that are weighed; where more are similar, nobody can say which one is meant. */
const MOST_WEIGHED = 50;

/**
 * The one listed plate that a read of an unlisted one may mean, by what the reader saw and not by how many characters
 * differ; null where there is none, or more than one.
 * @param plate what was read
 * @param listed plates of all lists, each once
 */
export function nearMissOf(
  { sightings }: Pick<VehicleReading, "sightings">,
  plate: string,
  listed: readonly string[],
): string | null {
  const similar = listed.filter((one) => one !== plate && isSimilar(one, plate));
  if (similar.length === 0 || similar.length > MOST_WEIGHED) return null;
  const views = clearest(weighed(sightings.flatMap((sighting) => sighting.views)));
  if (views.length === 0) return null;
  const own = longestCost(views, plate);
  const meant = similar
    .map((one) => ({ plate: one, against: longestCost(views, one) - own }))
    .filter(({ against }) => against <= MAY_BE_MEANT);
  const [only, ...others] = meant;
  return only === undefined || others.length > 0 || only.against > MOST_AGAINST ? null : only.plate;
}

function clearest(views: readonly WeighedView[]): WeighedView[] {
  return [...views].sort((a, b) => b.legible - a.legible).slice(0, MOST_VIEWS);
}
