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
export function pictureOf(readId: number): ReadPicture {
  const src = `/v1/plates/${readId}/image`;
  return { src, srcset: `/api/reads/${readId}/small 640w, ${src} 1280w`, sizes: "(max-width: 640px) 200px, 1120px" };
}
