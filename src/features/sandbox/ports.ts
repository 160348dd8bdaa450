import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { HouseMode } from "../../core/api/house.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Burst, BurstReading } from "../../core/plates/reading.ts";
import type { Language } from "../../core/text/render.ts";
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

/** A simulated household's effects on the hub; each is a plain call of the part that owns it. */
export interface HouseholdPorts {
  /** State and presence of a device; null when it does not exist. */
  readonly findDevice: (deviceId: string) => { readonly siteId: number; readonly state: JsonObject } | null;
  readonly createDevice: (
    siteId: number,
    device: {
      readonly id: string;
      readonly name: string;
      readonly type: string;
      readonly room: string;
      readonly simulated: boolean;
      readonly password?: null;
    },
  ) => Promise<{ readonly password: string | null }>;
  /** A device is about to connect: until it has, or a minute has passed, it is not said to be away. */
  readonly expectDevice: (deviceId: string) => void;
  /** The name of the person whose household it is. */
  readonly ownerName: (accountId: number) => string;
  /** Creates a scene that last ran then; null: it has not. */
  readonly createScene: (
    siteId: number,
    scene: {
      readonly name: string;
      readonly icon: string;
      readonly actions: readonly { readonly deviceId: string; readonly command: JsonObject }[];
      readonly houseMode?: HouseMode;
    },
    ranAt: number | null,
  ) => Promise<unknown>;
  readonly createAutomation: (siteId: number, body: JsonObject, ranAt: number | null) => Promise<unknown>;
  /** The owner of the household is known to be home by this car. */
  readonly knowOwnerByCar: (site: SimulatedSite, plate: string) => Promise<void>;
  readonly createPlateRule: (
    siteId: number,
    rule: { readonly plate: string; readonly kind: "allow" | "deny" | "watch"; readonly label: string },
  ) => Promise<unknown>;
  readonly setCamera: (
    siteId: number,
    deviceId: string,
    gate: { readonly deviceId: string; readonly command: JsonObject },
  ) => Promise<unknown>;
  /** Stores samples with their own times; resolves once they are on disk. */
  readonly ingest: (
    deviceId: string,
    samples: readonly { readonly at: number; readonly data: JsonObject }[],
  ) => Promise<void>;
  /** Stores changes of states from before the first that is known. */
  readonly addStates: (past: readonly PastState[]) => Promise<void>;
  /** Takes a burst of a camera; `isFresh` false: no gate opens for it. */
  readonly takeBurst: (burst: Burst, reading: BurstReading, isFresh: boolean) => Promise<readonly number[]>;
  readonly nextCaptureId: () => number;
  /** Whether a car is inside, as far as the hub has seen. */
  readonly isInside: (siteId: number, plate: string) => boolean;
  /** Notes that a gate opened for a read of the past. */
  readonly openedInThePast: (opening: {
    readonly siteId: number;
    readonly deviceId: string;
    readonly readId: number;
    readonly at: number;
    readonly settledAt: number;
  }) => Promise<void>;
  /** Writes a feed item. Called inside a job. */
  readonly feed: RecordFeedItem;
  /** The owner has lived here since then and has read what happened before the other time, both epoch ms. */
  readonly hasRead: (site: SimulatedSite, since: number, until: number) => Promise<void>;
}
