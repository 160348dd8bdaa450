/**
 * Why a condition could not be judged. Each stands in a verdict in place of the value that was seen, and the console
 * has its words for it.
 */
export const UNJUDGED = {
  gone: "the device is gone",
  clock: "the time is not known",
  place: "the site has no coordinates",
  empty: "no conditions",
} as const;
