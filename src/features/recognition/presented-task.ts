import type { Glance } from "../../core/plates/repeats.ts";
import type { Look } from "../../core/plates/vehicle-look.ts";

/** Pixels of a listed plate of a burst, by which it may be known as presented. */
export interface PresentedTask {
  /** Surroundings of the plate that the network is shown. */
  readonly around: readonly Uint8Array[];
  /** Frames that show the plate, each with those remembered that it may repeat. */
  readonly glances: readonly { readonly now: Glance; readonly before: readonly Glance[] }[];
}

/** What they say. */
export interface PresentedAnswer {
  /** Mean of the network's log-odds that the plate is presented; null without a network, or where nothing was shown. */
  readonly network: number | null;
  /** The look of the vehicle around the plate; null where the network says nothing. */
  readonly look: Look | null;
  /** For every frame the positions, among those remembered, of the frames that it repeats. */
  readonly repeats: readonly (readonly number[])[];
}
