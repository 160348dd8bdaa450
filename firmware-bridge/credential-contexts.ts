/**
 * The active credentials, the rights of each, and the owner of each device. A message goes to the families of the
 * credential that sent it, and their effects apply to the devices of that credential. Messages from the hub to a device
 * go to that credential's connections, on its own topics.
 */
import { type Credential, CredentialContext } from "./credential-context.ts";
import type { BoundDevice, DeviceBook } from "./device-book.ts";
import type { Family } from "./family.ts";
import type { FamilyProblems } from "./family-problems.ts";
import { Members } from "./members.ts";
import { type BridgeBroker, OUTSIDE } from "./ports.ts";
import { familiesOf } from "./rights.ts";
import { TopicRights } from "./topic-rights.ts";

/** All of them. The site's own broker is one too: {@link OUTSIDE}. */
export class CredentialContexts {
  readonly rights: TopicRights;
  readonly #options: ConstructorParameters<typeof CredentialContexts>[0];
  readonly #contexts = new Map<number, CredentialContext>();

  constructor(options: {
    /** In order of preference. */
    readonly families: readonly Family[];
    /** Base topics that the owner changed, by family. */
    readonly prefixes: ReadonlyMap<string, string>;
    /** First level of the topics of the hub's own devices. */
    readonly native: string;
    readonly book: DeviceBook;
    readonly broker: Pick<BridgeBroker, "retained">;
    /** Whether the hub is connected to the site's own broker, where devices may be too. */
    readonly hasOutside: () => boolean;
    readonly problems: FamilyProblems;
  }) {
    const { families } = options;
    this.#options = options;
    const names = families.map(({ name }) => name);
    const prefixes = new Map(families.map(({ name, prefix }) => [name, options.prefixes.get(name) ?? prefix]));
    this.rights = new TopicRights({ families: names, prefixes, native: options.native });
    this.#contexts.set(OUTSIDE, this.#newContext({ id: OUTSIDE, name: "the site's broker", families: names }));
  }

  /** All credentials. */
  all(): Iterable<CredentialContext> {
    return this.#contexts.values();
  }

  /** The context of a credential; undefined if it is not accepted. */
  find(client: number): CredentialContext | undefined {
    return this.#contexts.get(client);
  }

  /** The site's own broker: it has every family. */
  get outside(): CredentialContext {
    const context = this.#contexts.get(OUTSIDE);
    if (context === undefined) throw new Error("the outside broker is always there");
    return context;
  }

  /** Starts with the state of the last run. */
  start(credentials: readonly Credential[]): void {
    const { book } = this.#options;
    const ids = new Set([OUTSIDE, ...credentials.map(({ id }) => id)]);
    // The id of a forgotten credential may be reused: nothing may be left for it.
    for (const entry of book.all()) if (entry.speaker !== null && !ids.has(entry.speaker.client)) this.#orphan(entry);
    this.#restore(this.outside);
    for (const credential of credentials.filter(({ families }) => families.length > 0)) this.admit(credential);
  }

  /** Admits a credential, or changes its families. */
  admit(credential: Credential): CredentialContext {
    const families = familiesOf(credential.families);
    const context = this.#newContext({ ...credential, families });
    this.rights.dismiss(credential.id);
    this.rights.admit(credential.id, families);
    this.#contexts.set(credential.id, context);
    this.#restore(context);
    return context;
  }

  /**
   * A credential is refused, or forgotten: its devices' topics become free. `isForgotten`: they no longer belong to any
   * client.
   */
  dismiss(client: number, isForgotten: boolean): void {
    const { book } = this.#options;
    this.rights.dismiss(client);
    this.#contexts.delete(client);
    if (isForgotten) for (const entry of book.ofClient(client)) this.#orphan(entry);
  }

  /** The credential whose family speaks for a device; undefined if none does. */
  of(entry: BoundDevice): CredentialContext | undefined {
    if (entry.speaker === null && !this.#options.hasOutside()) return undefined;
    return this.#contexts.get(clientOf(entry));
  }

  /**
   * Whether a device may pass to another credential: if it has no credential any more, or the owner removed it; one
   * from the site's broker only once the hub has left that broker.
   */
  isFree(entry: BoundDevice, client: number): boolean {
    if (entry.bindingState === "removed") return true;
    if (entry.bindingState === "expected") return false; // confirmed by the owner, for one credential
    if (entry.bindingState === "gone") return !this.#isKept(entry, client);
    const owner = clientOf(entry);
    return owner === OUTSIDE ? client !== OUTSIDE && !this.#options.hasOutside() : !this.#contexts.has(owner);
  }

  /**
   * Whether another credential still has the device by another family, although the firmware of this one has given it
   * up.
   */
  #isKept({ deviceId }: BoundDevice, client: number): boolean {
    return this.#options.book
      .all()
      .some(
        ({ deviceId: its, bindingState, speaker }) =>
          its === deviceId &&
          (bindingState === "bound" || bindingState === "shadowed") &&
          speaker !== null &&
          speaker.client !== client &&
          this.#contexts.has(speaker.client),
      );
  }

  /** Gives a device of a credential its topics; returns why not, null when it has them. */
  grant({
    family,
    key,
    client,
  }: {
    readonly family: string;
    readonly key: string;
    readonly client: number;
  }): string | null {
    if (client === OUTSIDE) return null;
    const members = this.#contexts.get(client)?.members;
    const member = members?.find(family) ?? null;
    const topics = member === null ? null : (members?.call(member, null, () => member.adapter.topics(key)) ?? null);
    const refused = this.rights.grant({ family, key, client }, topics);
    if (refused === null) return null;
    const holder = refused.holder === null ? undefined : this.#contexts.get(refused.holder)?.name;
    return holder === undefined ? refused.reason : `${refused.reason} (${holder})`;
  }

  /** What to report to the owner if a credential announces what another one holds; null otherwise. */
  takeover(client: number, topic: string): { readonly family: string; readonly reason: string } | null {
    const holder = this.rights.takeover(client, topic);
    if (holder === null) return null;
    const [member] = this.outside.members.listening(topic);
    const name = (id: number): string => this.#contexts.get(id)?.name ?? "?";
    return {
      family: member?.family.name ?? "",
      reason: `${name(client)} announces what belongs to a device of another client (${name(holder)})`,
    };
  }

  /** Forgets a device that its family no longer knows, and that holds nothing. */
  forget(entry: BoundDevice): void {
    const members = this.of(entry)?.members;
    const member = members?.find(entry.family) ?? null;
    if (member !== null) members?.call(member, undefined, () => member.adapter.forget(entry.key));
    this.rights.release(entry.family, entry.key);
    entry.online = null;
  }

  /** Whether the hub may send a message on a topic that a credential's device named. */
  maySend(client: number, topic: string): boolean {
    return client === OUTSIDE || this.rights.mayHear(client, topic);
  }

  /** Retained messages on a credential's topics: kept by the broker, or received before it held the topics. */
  retained(
    context: CredentialContext,
    filter: string,
  ): readonly { readonly topic: string; readonly payload: Uint8Array }[] {
    const kept = this.#options.broker.retained(filter, context.client);
    return context.client === OUTSIDE
      ? kept
      : [...kept, ...context.takeEarly(filter, (topic) => this.rights.holds(context.client, topic))];
  }

  /**
   * Keeps a retained message that a credential may not publish, or not yet, until its announcement gives it a meaning;
   * returns whether it was kept.
   */
  keepEarly(client: number, topic: string, payload: Uint8Array): boolean {
    if (this.rights.isHeld(topic) || !this.rights.isOpen(topic)) return false;
    return this.#contexts.get(client)?.keepEarly(topic, payload) ?? false;
  }

  #newContext({ id, name, families }: Credential): CredentialContext {
    const own = this.#options.families.filter((family) => families.includes(family.name));
    return new CredentialContext({ client: id, name, members: new Members({ ...this.#options, families: own }) });
  }

  /** The device has no credential any more. An expected one is no longer expected: no other client gets it. */
  #orphan(entry: BoundDevice): void {
    const { book } = this.#options;
    book.setSpeaker(entry, null);
    if (entry.bindingState === "expected") book.setBindingState(entry, "removed");
  }

  /** Restores what a credential's families knew before, and the topics that their devices held. */
  #restore({ client, members }: CredentialContext): void {
    const { book, problems } = this.#options;
    const own = [...book.ofClient(client), ...(client === OUTSIDE ? book.ofClient(null) : [])];
    members.restore(own.flatMap((entry) => (entry.deviceId === null ? [] : [{ ...entry, deviceId: entry.deviceId }])));
    for (const { family, key, bindingState } of own) {
      const refused =
        bindingState === "bound" || bindingState === "shadowed" ? this.grant({ family, key, client }) : null;
      if (refused !== null) problems.problem(family, `${key} keeps no topics: ${refused}`);
    }
  }
}

/** Whose family speaks for a device. */
export function clientOf({ speaker }: BoundDevice): number {
  return speaker?.client ?? OUTSIDE;
}
