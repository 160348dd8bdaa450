/** The sighting that Home opens with, and its picture: the page shows it, and the hub knows it before the page is drawn. */

/** Of one quarter of an hour, what was read and let in says more than what was not read. */
const ONE_VISIT_MS = 15 * 60_000;

/** What decides which sighting is shown; newest first. */
interface Sighting {
  readonly plate: string | null;
  readonly decision: string;
  /** In ISO form, or epoch milliseconds. */
  readonly at: string | number;
}

/** The sighting that Home opens with: the newest, unless it has no plate and a car was allowed just before. */
export function tellingRead<Read extends Sighting>(reads: readonly Read[]): Read | undefined {
  const [newest] = reads;
  if (newest === undefined || newest.plate !== null) return newest;
  const since = new Date(newest.at).getTime() - ONE_VISIT_MS;
  const allowed = reads.find(({ plate, decision, at }) => {
    return plate !== null && decision === "allow" && new Date(at).getTime() >= since;
  });
  return allowed ?? newest;
}

/**
 * The sighting whose picture Home opens with: {@link tellingRead}, if it has one. Its words never stand beside another
 * car.
 */
export function picturedRead<Read extends Sighting & { readonly hasImage: boolean }>(
  reads: readonly Read[],
): Read | undefined {
  const read = tellingRead(reads);
  return read?.hasImage === true ? read : undefined;
}

/** Of one sighting, what decides which picture it has. */
interface Pictured {
  readonly id: number;
  readonly confidence: number;
}

/** Where the pictures of a sighting are: whole, small, and the plate alone. */
export interface ReadPictures {
  readonly whole: string;
  readonly small: string;
  readonly plate: string;
}

/**
 * Where the pictures of a sighting are now. A pass keeps its number while better frames of it arrive, each surer than
 * the one before: the address says which it is, or a page would go on showing the first.
 */
export function picturesOf({ id, confidence }: Pictured): ReadPictures {
  const which = `?sure=${confidence}`;
  return {
    whole: `/v1/plates/${id}/image${which}`,
    small: `/api/reads/${id}/small${which}`,
    plate: `/api/reads/${id}/plate${which}`,
  };
}

/** The picture of a sighting as a stage shows it: a phone loads one that is small. */
export interface ReadPicture {
  readonly src: string;
  readonly srcset: string;
  readonly sizes: string;
}

/**
 * Where a stage as wide as the page has the picture of a read from. The sizes are less than a phone's own pixels would
 * ask for: what is there at once matters more than what a magnifier finds.
 */
export function pictureOf(read: Pictured): ReadPicture {
  const { whole, small } = picturesOf(read);
  return { src: whole, srcset: `${small} 640w, ${whole} 1280w`, sizes: "(max-width: 640px) 200px, 1120px" };
}
