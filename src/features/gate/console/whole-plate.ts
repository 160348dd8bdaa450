/** How a picture fills a stage of another shape so that the plate in it stays whole. */

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Left, top, right and bottom, as shares of the picture. */
export type PlateBox = readonly number[];

/** Styles of the picture. */
export interface Fit {
  readonly objectFit: "cover" | "contain";
  /** Of the picture before it is enlarged. */
  readonly objectPosition: string;
  /** By how much it is enlarged, from its top left. */
  readonly scale: string;
  readonly transformOrigin: "0 0";
  /** Keeps a picture that is shown as a whole above the words at the foot of the stage. */
  readonly paddingBottom: string;
}

/** What stays in sight around a plate, pixels. */
const AROUND_PX = 8;
/** Enlargements of a picture that fills the stage, the least first: a low plate rises above the words with it. */
const ENLARGED = [1, 1.1, 1.2, 1.35, 1.5, 1.75, 2];
/** Where the car is in a picture whose plate nobody knows. */
const MIDDLE: PlateBox = [0.4, 0.5, 0.6, 0.6];

/**
 * The picture fills the stage, cut where that leaves the plate whole and as near to the middle as possible, enlarged if
 * that brings the plate above what covers the foot; otherwise it is shown as a whole.
 * @param foot height at the bottom of the stage that something else covers, pixels
 */
export function wholePlate(box: PlateBox | null, picture: Size, stage: Size, foot: number): Fit {
  const fills = Math.max(stage.width / picture.width, stage.height / picture.height);
  const [left = 0, top = 0, right = 1, bottom = 1] = box ?? MIDDLE;
  for (const scale of ENLARGED) {
    const across = placed([left, right], picture.width * fills * scale, stage.width, stage.width);
    const down = placed([top, bottom], picture.height * fills * scale, stage.height, stage.height - foot);
    if (box !== null && !(across.isWhole && down.isWhole)) continue;
    const objectPosition = `${-across.cut / scale}px ${-down.cut / scale}px`;
    return { objectFit: "cover", objectPosition, scale: `${scale}`, transformOrigin: "0 0", paddingBottom: "0" };
  }
  return {
    objectFit: "contain",
    objectPosition: "50% 50%",
    scale: "1",
    transformOrigin: "0 0",
    paddingBottom: `${foot}px`,
  };
}

/** How much of a picture is cut at its beginning, and whether a part of it (two shares) is in sight then. */
function placed([from, to]: readonly [from: number, to: number], length: number, stage: number, inSight: number) {
  const [begin, end] = [from * length, to * length];
  const cut = Math.round(Math.min(Math.max(0, (begin + end - inSight) / 2), Math.max(0, length - stage)));
  return {
    cut,
    isWhole: begin - cut >= Math.min(AROUND_PX, begin) && end - cut <= inSight - Math.min(AROUND_PX, length - end),
  };
}
