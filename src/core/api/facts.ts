import type { JsonObject } from "../kernel/json-object.ts";
import type { OpeningReason, OpeningResult, QuestionState } from "../plates/opening.ts";
import type { Recorded } from "../text/render.ts";
import type { FeedKind } from "./feed-kinds.ts";
import type { HouseMode, Whereabouts } from "./house.ts";
import type { CommandOutcomeStatus, CommandReason } from "./resources/command.ts";

/** The origin of a state change. */
export type ChangeSource = "device" | "api" | "console" | "scene" | "automation";

/** Finished facts on the bus: announced after their transaction is committed. `siteId` names the household. */
export interface Facts {
  "device.changed": {
    siteId: number;
    deviceId: string;
    state: JsonObject;
    previous: JsonObject;
    changed: readonly string[];
    source: ChangeSource;
    at: number;
    /** First value after a start: not an edge. */
    initial: boolean;
  };
  /** A charge that is only in messages of measured values, in percent; one in the state is a `device.changed`. */
  "device.battery": { siteId: number; deviceId: string; battery: number; previous: number | null; at: number };
  "device.presence": {
    siteId: number;
    deviceId: string;
    online: boolean;
    at: number;
    /** False while the damping time runs or after a restart: not to be announced to people. */
    announced: boolean;
  };
  "device.telemetry": { siteId: number; deviceId: string; at: number; data: JsonObject };
  "device.event": { siteId: number; deviceId: string; kind: string; title: string; body: string; at: number };
  "device.edited": { siteId: number; deviceId: string; what: "added" | "edited" | "removed" };
  "command.sent": { siteId: number; deviceId: string; commandId: number; actor: string; at: number };
  "command.changed": {
    siteId: number;
    deviceId: string;
    commandId: number;
    /** The sender. */
    actor: string;
    status: CommandOutcomeStatus;
    reason: CommandReason;
    at: number;
  };
  "read.decided": {
    siteId: number;
    readId: number;
    deviceId: string;
    plate: string | null;
    decision: "allow" | "deny" | "watch" | "unknown";
    direction: "in" | "out" | null;
    status: "recognised" | "unrecognised";
    at: number;
    /** False when it only belongs to a pass already announced. */
    firstOfPass: boolean;
    /** The same picture shows a denied vehicle, which would enter together with this one. */
    besideDenied: boolean;
    /** It opens no gate by itself: it came too late, or the plate seems to be presented. */
    late: boolean;
  };
  /** An attempt was made to admit somebody; announced again when more is known. */
  "gate.opening": {
    siteId: number;
    openingId: number;
    /** The gate or lock. */
    deviceId: string;
    readId: number | null;
    by: "person" | "key" | "automation" | "scene" | "plate" | "device" | "hub";
    name: string | null;
    result: OpeningResult;
    reason: OpeningReason | null;
    at: number;
  };
  /** Somebody is asked whether a vehicle may enter, or has answered; announced again when the read records it. */
  "gate.question": {
    siteId: number;
    questionId: string;
    readId: number;
    /** The camera. */
    deviceId: string;
    state: QuestionState;
    at: number;
  };
  /** A plate rule was added, changed or removed. */
  "plate_rules.changed": { siteId: number; at: number };
  "visit.changed": { siteId: number; plate: string; visitId: number; status: string; at: number };
  "occupancy.changed": {
    siteId: number;
    inside: number;
    previous: number;
    at: number;
    /** No camera has just seen it: somebody said or corrected it, or it came late. A rule opens nothing for it. */
    opensNothing?: true;
  };
  "feed.added": {
    siteId: number;
    itemId: number;
    kind: FeedKind;
    deviceId: string | null;
    title: string;
    body: string;
    words?: Recorded | null;
    aboutVehicles: boolean;
    /** The accounts that it is for; null: everybody. */
    recipients: readonly number[] | null;
    /** The device that set off the rule whose message it is, and the read and the camera whose picture goes with it. */
    becauseOf: string | null;
    readId: number | null;
    cameraId: string | null;
    at: number;
    /** Earlier ones of its kind were written with it and are not announced: lists are to be loaded again. */
    withEarlier?: true;
  };
  "scene.activated": { siteId: number; sceneId: number; name: string; at: number };
  "house.mode": {
    siteId: number;
    mode: HouseMode;
    previous: HouseMode;
    /** `session:3`, `automation:12`. */
    actor: string;
    /** The person, the scene or the rule; null: not known, or not to be shown. */
    name: string | null;
    at: number;
  };
  /** A person has come or gone, or is no longer known to be anywhere. */
  "house.presence": {
    siteId: number;
    personId: number;
    was: Whereabouts | null;
    is: Whereabouts | null;
    /** How many were known to be home before, and are now. */
    homeBefore: number;
    home: number;
    /** False at a start, for what was chosen anew, and for what came late or was corrected: rules do not run for it. */
    announced: boolean;
    /** It comes more than five seconds late: gates and locks are left alone. */
    late: boolean;
    /** The person says so. What a plate or a device says opens nothing. */
    byHand: boolean;
    at: number;
  };
  /** Somebody has joined or gone, or may do other things than before. */
  "persons.changed": { siteId: number; at: number };
  "webhook.changed": { siteId: number; webhookId: number; active: boolean };
}

/**
 * A fact as the console's stream sends it: without its household, which is the reader's own, and whom it is for, and
 * with its moment in ISO form.
 */
export type ShownFact<Kind extends keyof Facts> = {
  readonly [Member in Exclude<keyof Facts[Kind], "siteId" | "recipients">]: Member extends "at"
    ? string
    : Facts[Kind][Member];
};
