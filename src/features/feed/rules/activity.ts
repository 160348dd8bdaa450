/** The parts of the activity, and what in it nobody did. */
import type { FeedKind } from "../../../core/api/feed-kinds.ts";

/** The parts that people choose from. */
export const ACTIVITY_PARTS = ["all", "device", "plate", "automation", "security"] as const;

/** A part of the activity. */
export type ActivityPart = (typeof ACTIVITY_PARTS)[number];

/** What the kinds of each part begin with. */
const BEGINNINGS: Readonly<Record<ActivityPart, readonly string[]>> = {
  all: [""],
  device: ["device.", "command."],
  plate: ["plate.", "occupancy.", "gate.", "guest."],
  automation: ["automation.", "scene.", "house."],
  security: ["security.", "key.", "webhook."],
};

/** What the house and the hub do by themselves, day by day. */
const BY_ITSELF = /^(device\.(added|removed|online|offline|firmware)|automation\.fired|system\.started)$/;

/** Whether nobody did it and no car is behind it: many such lines at once must not hide the others. */
export function isByItself(kind: string): boolean {
  return BY_ITSELF.test(kind);
}

/** The kinds of a part. */
export function kindsOfPart(part: ActivityPart, kinds: readonly FeedKind[]): FeedKind[] {
  return kinds.filter((kind) => BEGINNINGS[part].some((beginning) => kind.startsWith(beginning)));
}
