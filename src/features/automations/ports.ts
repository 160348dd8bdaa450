import type { NewFeedItem } from "../../core/api/feed-kinds.ts";
import type { Scope } from "../../core/api/scopes.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { SitePlace } from "./rules/world.ts";

/** One rule in a chain of causes, oldest first: the rule whose command led to the next cause. */
export interface Cause {
  readonly automationId: number;
  readonly name: string;
  readonly runId: string;
}

/** What automations may know about a device. */
export interface DeviceView {
  readonly siteId: number;
  readonly name: string;
  readonly type: string;
  readonly online: boolean;
  readonly state: JsonObject;
}

/** A command as a rule sends it. */
export interface RuleCommand {
  readonly siteId: number;
  readonly deviceId: string;
  /** JSON text of the command object. */
  readonly command: string;
  /** `automation:ID`. */
  readonly actor: string;
  readonly source: "automation";
  readonly causes: readonly Cause[];
  /** Whose share of the device's commands it uses: the author's. */
  readonly chargedTo: string;
}

/** The action recorded in the audit list for a rule; a person who wrote it or switched it on answers for it. */
export type RuleAction =
  | "automation.created"
  | "automation.rewritten"
  | "automation.enabled"
  | "automation.edited"
  | "automation.removed";

/** Everything that automations ask of the rest of the hub; plain functions, joined in `hub.ts`. */
export interface AutomationPorts {
  /** Resolves once the command is accepted for delivery. @throws Problem when it is not */
  sendCommand(command: RuleCommand): Promise<unknown>;
  /** Dispatches a scene. @throws Problem `scene_not_found`. */
  activateScene(scene: {
    siteId: number;
    sceneId: number;
    actor: string;
    causes: readonly Cause[];
    chargedTo: string;
  }): Promise<{ name: string; sent: number; skipped: readonly string[] }>;
  /** Writes a feed item; called inside a write job. */
  recordFeed(item: NewFeedItem): void;
  /**
   * Sends to the LAN's notification receiver, if one is configured and the household is not a simulated one; never
   * throws, never waits for the answer.
   */
  notifyLan(message: { siteId: number; title: string; body: string }): void;
  /** The key that wrote a rule: its name, and its present rights; no scopes once it has ended. */
  author(keyId: number): { readonly name: string; readonly scopes: readonly Scope[] | null };
  /** Whether the person who wrote a rule or switched it on last is still an owner; true for the household's rules. */
  issuerStands(ruleId: number): boolean;
  /** Records who made, changed, switched on or removed a rule, and thereby who answers for it; inside a write job. */
  recordAudit(entry: {
    readonly siteId: number;
    readonly actor: string;
    readonly action: RuleAction;
    readonly target: string;
    readonly detail: { readonly id: number };
    readonly at: number;
  }): void;
  device(deviceId: string): DeviceView | null;
  /** The persons of a site's household. */
  persons(siteId: number): readonly { readonly id: number; readonly role: "owner" | "member" }[];
  /** The devices that a scene of the site commands; null if the scene does not exist. */
  sceneDevices(siteId: number, sceneId: number): readonly string[] | null;
  /** The plate as camera reads carry it; null when the text cannot be a plate. */
  normalisePlate(text: string): string | null;
  site(siteId: number): SitePlace;
  /** Vehicles inside the site now. */
  occupancy(siteId: number): number;
}
