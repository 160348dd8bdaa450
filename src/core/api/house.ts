/** What a household can set its house to. The first is what a new house is set to. */
export const HOUSE_MODES = ["home", "away", "night", "holiday"] as const;

/** One of {@link HOUSE_MODES}. */
export type HouseMode = (typeof HOUSE_MODES)[number];

/** Whether somebody is home. */
export type Whereabouts = "home" | "away";
