import type { ItemPicture } from "../../core/api/feed-kinds.ts";
import type { HouseMode } from "../../core/api/house.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import { platesIn } from "../../core/plates/mention.ts";
import type { Database } from "../../core/storage/database.ts";
import { reasonEnglish, reasonOf } from "../../core/text/described-error.ts";
import type { Detail } from "../../core/text/keys.ts";
import { isBarrier } from "../devices/rules/device-types.ts";
import type { SceneAction } from "../scenes/scenes.ts";
import type { Cause, CauseMemory } from "./causes.ts";
import type { House } from "./house.ts";
import { scopeOfStep, tellsOfVehicles, tellsWhereabouts } from "./rights.ts";
import type { MessagePicture, Rule, Step } from "./rules/rule.ts";
import type { StepTrace } from "./traces.ts";
import { opensNothing } from "./trigger-event.ts";

/** Messages of one author: more than a person reads, fewer than would flood the feed. */
const MESSAGES = { quota: 30, periodMs: 60_000, burst: 60 };

/** The run that a step belongs to. */
export interface StepContext {
  readonly rule: Rule;
  /** The chain with the rule at its end. */
  readonly causes: readonly Cause[];
  readonly late: boolean;
  /** What started it, see TriggerEvent. */
  readonly trigger: Readonly<Record<string, unknown>>;
}

type Active = Exclude<Step, { type: "delay" }>;

/** Carries out single steps. */
export class Steps {
  readonly #options: ConstructorParameters<typeof Steps>[0];
  readonly #messages = new TokenBuckets(MESSAGES);

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly house: House;
    readonly causes: CauseMemory;
  }) {
    this.#options = options;
  }

  /** Starts the step before it returns; the promise resolves to the outcome and never rejects. */
  async carryOut(step: Active, context: StepContext): Promise<StepTrace> {
    const what = this.#describe(step, context.rule.siteId);
    try {
      if (!this.#mayDo(step, context.rule))
        return { type: step.type, what, result: "failed", ...reasonFields({ code: "step.notAllowed" }) };
      if (context.late && this.movesGate(step, context.rule.siteId))
        return { type: step.type, what, result: "skipped_late", ...reasonFields({ code: "step.tooLate" }) };
      // a denied vehicle would enter together with this one
      if (context.trigger.besideDenied === true && this.movesGate(step, context.rule.siteId))
        return { type: step.type, what, result: "failed", ...reasonFields({ code: "step.besideDenied" }) };
      // presence and mode are information: what opens for a plate are the gate's own lists, with all that they ask
      if (opensNothing(context) && this.#opensOrDisarms(step, context.rule.siteId))
        return { type: step.type, what, result: "failed", ...reasonFields({ code: "step.opensNothing" }) };
      if (context.trigger.timeDoubted === true && this.#options.house.decides(context.rule.siteId, step))
        return { type: step.type, what, result: "failed", ...reasonFields({ code: "step.timeDoubted" }) };
      await this.#handOver(step, context);
      return { type: step.type, what, result: "sent" };
    } catch (error) {
      return { type: step.type, what, result: "failed", ...reasonFields(reasonOf(error)) };
    }
  }

  /** Whether the step commands what lets people in, itself or through a scene. */
  movesGate(step: Active, siteId: number): boolean {
    const { registry, commands } = this.#options.house;
    const isGate = (deviceId: string): boolean => {
      const device = registry.find(deviceId);
      return device !== null && isBarrier(device);
    };
    return this.#sentBy(step, siteId).some(({ deviceId, command }) => commands.movedBy(deviceId, command).some(isGate));
  }

  /** Whether the step may open a gate or a lock, or disarm an alarm, itself or through a scene. */
  #opensOrDisarms(step: Active, siteId: number): boolean {
    const { commands } = this.#options.house;
    return this.#sentBy(step, siteId).some(({ deviceId, command }) => commands.opens(deviceId, command));
  }

  /** The commands of a step. */
  #sentBy(step: Active, siteId: number): readonly SceneAction[] {
    if (step.type === "command") return [step];
    return step.type === "scene" ? (this.#options.house.scenes.actionsOf(siteId, step.sceneId) ?? []) : [];
  }

  /** The author's rights at this moment: the run may have waited for a long time. */
  #mayDo(step: Active, { id, authorKey }: Rule): boolean {
    const { grants, keys } = this.#options.house;
    if (!grants.stands("automation", String(id))) return false;
    if (authorKey === null) return true;
    const { scopes } = keys.author(authorKey);
    const needed = scopeOfStep(step);
    return scopes !== null && (needed === null || scopes.includes(needed));
  }

  /** What a step is about, as a person knows it. */
  #describe(step: Active, siteId: number): string {
    const { registry, scenes } = this.#options.house;
    if (step.type === "command") return registry.find(step.deviceId)?.name ?? step.deviceId;
    if (step.type === "house") return step.mode;
    return step.type === "scene" ? (scenes.nameOf(siteId, step.sceneId) ?? String(step.sceneId)) : step.title;
  }

  /** A message with what set the rule off in place of `{device}`, `{plate}` and `{value}`. */
  #filled(text: string, { deviceId, plate, to }: StepContext["trigger"]): string {
    const values: Readonly<Record<string, unknown>> = {
      device:
        typeof deviceId === "string" ? (this.#options.house.registry.find(deviceId)?.name ?? deviceId) : undefined,
      plate,
      value: to,
    };
    return text.replaceAll(/\{(device|plate|value)\}/g, (whole, name: string) =>
      ["string", "number", "boolean"].includes(typeof values[name]) ? String(values[name]) : whole,
    );
  }

  /** The persons that a message is for, by their accounts; null: everybody. Those who have left are not among them. */
  #receivers(to: readonly string[] | undefined, siteId: number): readonly number[] | null {
    if (to === undefined) return null;
    const persons = this.#options.house.accounts.personsOf(siteId);
    const isMeant = ({ id, role }: (typeof persons)[number]): boolean =>
      to.includes(`person:${id}`) || (role === "owner" && to.includes("owners"));
    return persons.filter(isMeant).map(({ id }) => id);
  }

  /** What a rule sets the house to follows from it; null: it leaves the house as it is. */
  #noteMode(siteId: number, mode: HouseMode | null, causes: readonly Cause[]): void {
    if (mode !== null) this.#options.causes.modeSet(siteId, mode, causes);
  }

  #handOver(step: Active, context: StepContext): Promise<unknown> {
    const { rule, causes, trigger } = context;
    const further = { opensNothing: opensNothing(context) };
    const { house, database, clock } = this.#options;
    const actor = `automation:${rule.id}`;
    // a key's rules all use the key's share
    const chargedTo = rule.authorKey === null ? actor : `api_key:${rule.authorKey}`;
    switch (step.type) {
      case "command":
        this.#options.causes.sent(step.deviceId, Object.keys(step.command), causes);
        return house.commands.send({
          siteId: rule.siteId,
          deviceId: step.deviceId,
          command: JSON.stringify(step.command),
          actor,
          source: "automation",
          chargedTo,
          ...further,
        });
      case "scene":
        for (const deviceId of house.scenes.devicesOf(rule.siteId, step.sceneId) ?? [])
          this.#options.causes.sent(deviceId, [], causes);
        this.#noteMode(rule.siteId, house.scenes.modeOf(rule.siteId, step.sceneId), causes);
        return house.scenes.activate(rule.siteId, step.sceneId, actor, { chargedTo, ...further });
      case "house":
        this.#noteMode(rule.siteId, step.mode, causes);
        return house.modes.set(rule.siteId, step.mode, { actor, name: tellsWhereabouts(rule) ? null : rule.name });
      case "notify": {
        if (!this.#messages.take(chargedTo, clock.mono()).allowed)
          throw new Problem("rate_limited", { code: "step.tooManyMessages" });
        const to = this.#receivers(step.to, rule.siteId);
        if (to?.length === 0) throw new Problem("conflict", { code: "step.nobody" });
        const { siteId } = rule;
        const message = { title: this.#filled(step.title, trigger), body: this.#filled(step.body, trigger) };
        // its receiver is for all who are in the house; a simulated one reaches nothing real
        if (to === null && house.accounts.site(siteId).env === "live") house.lan.notify(message);
        const audience = { to, picture: pictureOf(step.picture, trigger) };
        return database.write(() => {
          const [event, deviceId, at] = ["automation.notify" as const, null, clock.now()];
          const aboutVehicles = tellsOfVehicles(rule);
          house.feed.record({
            siteId,
            kind: event,
            deviceId,
            ...message,
            audience,
            aboutVehicles,
            becauseOf: setOffBy(trigger),
            at,
          });
          const plates = platesIn(`${message.title}\n${message.body}`);
          house.outbox.enqueue({ siteId, event, deviceId, data: message, plates, at });
        });
      }
    }
  }
}

/** The device that set the rule off; null: none. */
export function setOffBy({ deviceId }: StepContext["trigger"]): string | null {
  return typeof deviceId === "string" ? deviceId : null;
}

/** The picture of a message about what set the rule off; null: it has none, or nothing was read. */
function pictureOf(
  picture: MessagePicture | undefined,
  { readId, deviceId }: StepContext["trigger"],
): ItemPicture | null {
  if (picture === undefined) return null;
  const isRead = picture.type === "read" || picture.deviceId === deviceId;
  if (isRead && typeof readId === "number") return { readId };
  return picture.type === "camera" ? { deviceId: picture.deviceId } : null;
}

function reasonFields(reason: string | Detail): Pick<StepTrace, "error" | "words"> {
  return { error: reasonEnglish(reason), ...(typeof reason === "string" ? {} : { words: reason }) };
}
