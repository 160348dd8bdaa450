/**
 * Why a condition could not be judged. Each replaces the observed value in a verdict, and the console has its words for
 * it.
 */
export const UNJUDGED = {
  gone: "the device is gone",
  clock: "the time is not known",
  place: "the site has no coordinates",
  person: "the person has left the household",
  presence: "nobody is known to be home or away",
  empty: "no conditions",
} as const;
