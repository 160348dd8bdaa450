import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { HouseMode } from "../../core/api/house.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Burst, BurstReading } from "../../core/plates/reading.ts";
import type { Language } from "../../core/text/render.ts";
import type { PastSighting } from "../gate/past-passes.ts";
import type { PastState } from "./past-states.ts";

/** A site that a simulated household lives on. */
export interface SimulatedSite {
  readonly siteId: number;
  readonly accountId: number;
  /** IANA name. */
  readonly timeZone: string;
  /** Of everything in it that has a name. */
  readonly language: Language;
}

/** What a device measured, each sample at its own time. */
export interface PastSamples {
  readonly deviceId: string;
  readonly samples: readonly { readonly at: number; readonly data: JsonObject }[];
}

/** What is prepared for the job that makes a household; its pictures are on disk. */
export interface PreparedPasses {
  /** Inside the job: stores the passes of a camera. */
  readonly record: (cameraId: string) => void;
  /** Where there was no such job. */
  readonly discard: () => Promise<void>;
}

/**
 * A simulated household's effects on the hub; each is a plain call of the part that owns it. Those that make something
 * belong inside {@link inOneJob}.
 */
export interface HouseholdPorts {
  /** State and presence of a device; null when it does not exist. */
  readonly findDevice: (deviceId: string) => { readonly siteId: number; readonly state: JsonObject } | null;
  /** Prepares the hub for a job that makes a household. */
  readonly beforeMaking: () => Promise<void>;
  /**
   * Creates everything that `make` creates, or nothing. All of it is past: nobody is notified, and pages reload once.
   */
  readonly inOneJob: <Made>(make: () => Made) => Promise<Made>;
  readonly makeDevice: (
    siteId: number,
    device: {
      readonly id: string;
      readonly name: string;
      readonly type: string;
      readonly room: string;
      readonly simulated: boolean;
      readonly password?: null;
    },
  ) => { readonly password: string | null };
  /** A device is about to connect: until it has, or a minute has passed, it is not said to be away. */
  readonly expectDevice: (deviceId: string) => void;
  /** The name of the person whose household it is. */
  readonly ownerName: (accountId: number) => string;
  /** Makes a scene that last ran then; null: it has not. */
  readonly makeScene: (
    siteId: number,
    scene: {
      readonly name: string;
      readonly icon: string;
      readonly actions: readonly { readonly deviceId: string; readonly command: JsonObject }[];
      readonly houseMode?: HouseMode;
    },
    ranAt: number | null,
  ) => void;
  readonly makeAutomation: (siteId: number, body: JsonObject, ranAt: number | null) => void;
  /** The owner of the household is known to be home by this car. */
  readonly knowOwnerByCar: (site: SimulatedSite, plate: string) => void;
  readonly makePlateRule: (
    siteId: number,
    rule: { readonly plate: string; readonly kind: "allow" | "deny" | "watch"; readonly label: string },
  ) => void;
  readonly setCamera: (
    siteId: number,
    deviceId: string,
    gate: { readonly deviceId: string; readonly command: JsonObject },
  ) => void;
  readonly addSamples: (past: readonly PastSamples[]) => void;
  /** Stores changes of states from before the first that is known. */
  readonly addStates: (past: readonly PastState[]) => void;
  /** Writes the pictures of passes of the past, oldest first. */
  readonly preparePasses: (passes: readonly PastSighting[]) => Promise<PreparedPasses>;
  /** Takes a burst of a camera. */
  readonly takeBurst: (burst: Burst, reading: BurstReading) => Promise<readonly number[]>;
  readonly nextCaptureId: () => number;
  /** Whether a car is inside, as far as the hub has seen. */
  readonly isInside: (siteId: number, plate: string) => boolean;
  readonly feed: RecordFeedItem;
  /** The owner has lived here since then and has read what happened before the other time, both epoch ms. */
  readonly hasRead: (site: SimulatedSite, since: number, until: number) => void;
}
