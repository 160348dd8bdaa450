import type { Clock, Timer } from "../src/core/kernel/clock.ts";
import type { Logger } from "../src/core/kernel/logger.ts";
import type { CredentialContext } from "./credential-context.ts";
import type { CredentialContexts } from "./credential-contexts.ts";
import type { BoundDevice } from "./device-book.ts";
import type { EffectApplier, EffectContext } from "./effect-applier.ts";
import type { BridgeMessage, Effect, Outgoing } from "./family.ts";
import type { FamilyProblems } from "./family-problems.ts";
import type { Member } from "./members.ts";
import type { BridgeBroker } from "./ports.ts";

/** How the effects of one message are carried out. */
interface Course {
  readonly context: CredentialContext;
  readonly effectContext: EffectContext;
  /** Writes that the sender waits for. */
  readonly work: Promise<void>[];
  /** How often retained messages were recalled on the way here. */
  readonly depth: number;
}

const MOST_LATER = 1_000;
const LATEST_MS = 60_000;
/** A message waits so long for a client that is away. */
export const MESSAGE_TTL_MS = 60_000;
const MOST_RECALLS = 4;
const MOST_TOPICS = 50_000;

/** Gives messages to the families that understand them, and has the resulting effects carried out. */
export class MessageDispatcher {
  /** Messages that some family understood, since start. */
  understood = 0;
  readonly #options: ConstructorParameters<typeof MessageDispatcher>[0];
  /** The device that each retained topic last described. */
  readonly #topics = new Map<string, BoundDevice>();
  readonly #later = new Set<Timer>();

  constructor(options: {
    readonly contexts: CredentialContexts;
    readonly effectApplier: EffectApplier;
    readonly problems: FamilyProblems;
    readonly broker: Pick<BridgeBroker, "publish">;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** Cancels everything that was to be sent later. */
  stop(): void {
    for (const timer of this.#later) timer.stop();
    this.#later.clear();
  }

  /** Whether a retained topic belongs to an existing device. */
  isKnownTopic(topic: string): boolean {
    return ["bound", "shadowed"].includes(this.#topics.get(topic)?.bindingState ?? "");
  }

  /** Passes a message to the families that listen to its topic. Resolves once its effects are on disk. */
  async route(
    context: CredentialContext,
    message: { topic: string; payload: Uint8Array; retained: boolean },
    how: { readonly durable: boolean; readonly mqttClientId?: string | null },
  ): Promise<void> {
    const at = this.#options.clock.now();
    const work: Promise<void>[] = [];
    let understood = false;
    for (const member of context.members.listening(message.topic)) {
      const effectContext: EffectContext = {
        family: member.family.name,
        live: !message.retained,
        client: context.client,
        at,
        ...how,
      };
      understood = this.#hear(member, { ...message, at }, { context, effectContext, work, depth: 0 }) || understood;
    }
    if (understood) this.understood += 1;
    await Promise.all(work);
  }

  /** Gives one message to one family. Returns whether it meant something. */
  #hear(member: Member, message: BridgeMessage, course: Course): boolean {
    const { problems } = this.#options;
    const before = problems.present;
    problems.present = message;
    const effects = course.context.members.call<readonly Effect[]>(member, [], () => member.adapter.message(message));
    const filters = this.#applyEffects(member, effects, course);
    problems.present = before;
    this.#recall(member, filters, course);
    return effects.some((effect) => effect.do !== "problem");
  }

  /** Carries effects out; returns the filters that have to be recalled. */
  #applyEffects(member: Member, effects: readonly Effect[], { context, effectContext, work }: Course): string[] {
    const { problems } = this.#options;
    const filters: string[] = [];
    const ofDevices: Parameters<EffectApplier["apply"]>[0][number][] = [];
    for (const effect of effects) {
      if (effect.do === "problem") problems.add({ ...effect, family: member.family.name, at: effectContext.at });
      else if (effect.do === "recall") filters.push(...effect.filters);
      else if (effect.do === "publish") this.#publish(context.client, effect);
      else ofDevices.push(effect);
    }
    const { done, entries } = this.#options.effectApplier.apply(ofDevices, effectContext);
    work.push(done);
    const { topic } = problems.present;
    for (const entry of entries) if (topic !== "") this.#topics.set(topic, entry);
    if (this.#topics.size > MOST_TOPICS)
      for (const old of [...this.#topics.keys()].slice(0, MOST_TOPICS / 5)) this.#topics.delete(old);
    return filters;
  }

  /** Gives a family the retained messages it asked for. Messages they make it request come too, some levels deep. */
  #recall(member: Member, filters: readonly string[], course: Course): void {
    if (course.depth >= MOST_RECALLS) return;
    const effectContext = { ...course.effectContext, live: false, durable: false };
    for (const filter of filters) {
      for (const { topic, payload } of this.#options.contexts.retained(course.context, filter)) {
        this.#hear(
          member,
          { topic, payload, retained: true, at: effectContext.at },
          { ...course, effectContext, depth: course.depth + 1 },
        );
      }
    }
  }

  #publish(client: number, { message, afterMs = 0 }: Extract<Effect, { readonly do: "publish" }>): void {
    const { clock } = this.#options;
    if (afterMs <= 0) this.send(client, message, MESSAGE_TTL_MS);
    else if (this.#later.size < MOST_LATER) {
      const timer: Timer = clock.after(Math.min(afterMs, LATEST_MS), () => {
        this.#later.delete(timer);
        this.send(client, message, MESSAGE_TTL_MS);
      });
      this.#later.add(timer);
    }
  }

  /** Carries out what a family does without a message. */
  byItself(context: CredentialContext, member: Member, act: () => readonly Effect[]): void {
    this.#options.problems.present = { topic: "" };
    const effects = context.members.call<readonly Effect[]>(member, [], act);
    if (effects.length === 0) return;
    const effectContext: EffectContext = {
      family: member.family.name,
      live: true,
      durable: false,
      client: context.client,
      at: this.#options.clock.now(),
    };
    const course: Course = { context, effectContext, work: [], depth: 0 };
    this.#recall(member, this.#applyEffects(member, effects, course), course);
    this.settled(Promise.all(course.work));
  }

  /** Not awaited; a full disk is reported elsewhere. */
  settled(work: Promise<unknown>): void {
    work.catch((error: unknown) =>
      this.#options.logger.warn({ err: error }, "a bridged device's message could not be stored"),
    );
  }

  /** Sends a message to the connections of one credential, on one of its topics. */
  send(client: number, message: Outgoing, ttlMs: number): void {
    if (this.#options.contexts.maySend(client, message.topic)) this.#options.broker.publish(message, ttlMs, client);
  }
}
