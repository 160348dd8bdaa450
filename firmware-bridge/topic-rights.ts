/**
 * Each credential's present rights: the table (rights.ts) for the families for which it was accepted and the devices
 * that it announced, minus topics of others. Default deny: an unknown credential has no rights.
 */
import { TopicTree } from "../src/core/kernel/topic-tree.ts";
import type { DeviceTopics } from "./family.ts";
import { type FamilyRights, type Prefixes, rightsOf, unfit, type Zone, zones } from "./rights.ts";
import { TopicOwnership } from "./topic-ownership.ts";

/** What every device of a credential's families may use before it is known. */
interface Ground {
  readonly families: readonly string[];
  readonly publish: TopicTree<true>;
  readonly hear: TopicTree<true>;
  /**
   * The part of `publish` that counts as a device's message even if it looks like the hub's questions: announcements,
   * and topics named without a wildcard.
   */
  readonly own: TopicTree<true>;
}

/** A device, and who speaks for it. */
export interface HoldingDevice {
  readonly family: string;
  readonly key: string;
  /** Id of its credential. */
  readonly client: number;
}

/** A device that takes a message. */
export interface Taker extends Pick<HoldingDevice, "family" | "key"> {
  /** Which of the gateway's devices it is for, or whether for the gateway itself, is not known. */
  readonly isGateway: boolean;
}

/** The rights of all credentials. */
export class TopicRights {
  readonly #prefixes: Prefixes;
  readonly #native: string;
  readonly #all: readonly string[];
  readonly #ownership = new TopicOwnership();
  readonly #grounds = new Map<number, Ground>();
  /** Devices that hold something, with the name under which they hold it. */
  readonly #names = new Map<string, HoldingDevice & { readonly holding: string }>();
  readonly #announcements: TopicTree<true>;
  readonly #zones = new TopicTree<Zone>();

  /** `families`: all that exist; `native`: first level of the hub's own devices, which no other make ever gets. */
  constructor(options: { readonly families: readonly string[]; readonly prefixes: Prefixes; readonly native: string }) {
    this.#prefixes = options.prefixes;
    this.#native = options.native;
    this.#all = options.families;
    for (const zone of zones(options.prefixes)) this.#zones.add(`${zone.base}/#`, zone);
    this.#announcements = treeOf(options.families.flatMap((family) => this.#of(family).announces));
  }

  /** A credential was accepted for these families, or for others than before. */
  admit(client: number, families: readonly string[]): void {
    const rights = families.filter((family) => this.#all.includes(family)).map((family) => this.#of(family));
    const publishes = rights.flatMap(({ announces, begins }) => [...announces, ...begins]);
    const own = treeOf(
      rights.flatMap(({ announces, begins }) => [...announces, ...begins.filter((filter) => !/[+#]/.test(filter))]),
    );
    this.#grounds.set(client, {
      families,
      publish: treeOf(publishes),
      hear: treeOf(rights.flatMap(({ hears }) => hears)),
      own,
    });
  }

  /** A credential may no longer do anything; what its devices held becomes free. */
  dismiss(client: number): void {
    this.#grounds.delete(client);
    for (const [device, { client: owner }] of [...this.#names]) if (owner === client) this.#drop(device);
  }

  /**
   * Grants a device the rights that follow from its topics, or returns the reason for refusal; it then keeps its
   * previous rights.
   */
  grant(
    { family, key, client }: HoldingDevice,
    topics: DeviceTopics | null,
  ): { readonly reason: string; readonly holder: number | null } | null {
    if (this.#grounds.get(client)?.families.includes(family) !== true)
      return { reason: "its credential was not accepted for this make", holder: null };
    if (topics === null) return null;
    const rights = this.#of(family);
    const access = rights.device(topics);
    const reason = unfit(family, access, {
      prefixes: this.#prefixes,
      native: this.#native,
      isOwn: (topic) => this.#ownership.holder(topic) === client,
    });
    if (reason !== null) return { reason, holder: null };
    const taken = this.#ownership.conflict(client, access);
    if (taken !== null)
      return { reason: `"${taken.filter}" belongs to a device of another client`, holder: taken.owner };
    const device = nameOf(family, key);
    const holding = rights.isGateway === true ? `${family} of ${client}` : device;
    if (this.#names.get(device)?.holding !== holding) this.#drop(device);
    this.#names.set(device, { family, key, client, holding });
    this.#ownership.put(holding, client, access);
    return null;
  }

  /** A device no longer exists: its topics become free. */
  release(family: string, key: string): void {
    this.#drop(nameOf(family, key));
  }

  /**
   * Whether a client awaiting acceptance may publish to a topic: one by which devices announce themselves, if no client
   * holds it.
   */
  mayAnnounce(topic: string): boolean {
    return this.#announcements.has(topic) && this.#ownership.holder(topic) === null && !this.#isNative(topic);
  }

  /** Whether a credential may publish to a topic. Never where the hub speaks to devices. */
  mayPublish(client: number, topic: string): boolean {
    const ground = this.#grounds.get(client);
    if (ground === undefined || this.#isNative(topic)) return false;
    const holder = this.#ownership.holder(topic);
    if (holder !== null) return holder === client && !this.#ownership.isCommand(topic);
    return (
      ground.publish.has(topic) && (!ground.hear.has(topic) || ground.own.has(topic)) && this.#isInZone(ground, topic)
    );
  }

  /** Whether a message on a topic may reach a credential's connections. */
  mayHear(client: number, topic: string): boolean {
    const ground = this.#grounds.get(client);
    if (ground === undefined || this.#isNative(topic)) return false;
    const holder = this.#ownership.holder(topic);
    return holder === null ? ground.hear.has(topic) || ground.publish.has(topic) : holder === client;
  }

  /**
   * Whether a credential may hold a subscription. A device subscribes before it announces itself, and only its
   * announcement reveals its topics: every filter is accepted unless it lies wholly in another client's topics, and
   * {@link mayHear} decides about each message.
   */
  maySubscribe(client: number, filter: string): boolean {
    const ground = this.#grounds.get(client);
    if (ground === undefined || this.#isNative(filter) || this.#ownership.isForeign(client, filter)) return false;
    const isOfItsMakes = ground.publish.overlapping(filter).length + ground.hear.overlapping(filter).length > 0;
    return (
      isOfItsMakes ||
      ground.families.some((family) => unfit(family, { publish: [filter], subscribe: [] }, this.#about) === null)
    );
  }

  /** What else takes a message that is sent to a device on a topic; of a gateway, everything behind it. */
  alsoTakenBy({ family, key }: Pick<HoldingDevice, "family" | "key">, topic: string): Taker[] {
    const own = this.#names.get(nameOf(family, key))?.holding;
    const takers = new Set(this.#ownership.takers(topic).filter((holding) => holding !== own));
    if (takers.size === 0) return []; // nearly always: a large house is not gone through for each command
    return [...this.#names.values()].flatMap((one) =>
      takers.has(one.holding)
        ? [{ family: one.family, key: one.key, isGateway: this.#of(one.family).isGateway === true }]
        : [],
    );
  }

  /** Whether a topic lies where any device may hold one. */
  isOpen(topic: string): boolean {
    return this.#all.some((family) => unfit(family, { publish: [topic], subscribe: [] }, this.#about) === null);
  }

  /**
   * The client to report to the owner when a credential may not publish to a topic because another one announced it.
   * Null: nothing to report.
   */
  takeover(client: number, topic: string): number | null {
    const holder = this.#announcements.has(topic) ? this.#ownership.holder(topic) : null;
    return holder === client ? null : holder;
  }

  /** Whether some device holds a topic. */
  isHeld(topic: string): boolean {
    return this.#ownership.holder(topic) !== null;
  }

  /** Whether a credential's own devices hold a topic. */
  holds(client: number, topic: string): boolean {
    return this.#ownership.holder(topic) === client;
  }

  get #about(): Parameters<typeof unfit>[2] {
    return { prefixes: this.#prefixes, native: this.#native, isOwn: () => false };
  }

  #of(family: string): FamilyRights {
    return rightsOf(family, this.#prefixes);
  }

  /** Whether a topic belongs to no make, or to one of a credential's. */
  #isInZone({ families }: Ground, topic: string): boolean {
    return this.#zones
      .match(topic)
      .every((zone) => zone.families.length === 0 || zone.families.some((family) => families.includes(family)));
  }

  #drop(device: string): void {
    const held = this.#names.get(device);
    if (held === undefined) return;
    this.#names.delete(device);
    for (const { holding } of this.#names.values()) if (holding === held.holding) return; // the gateway's other devices
    this.#ownership.drop(held.holding);
  }

  #isNative(topic: string): boolean {
    return topic === this.#native || topic.startsWith(`${this.#native}/`) || topic.startsWith("$");
  }
}

function nameOf(family: string, key: string): string {
  return `${family} ${key}`;
}

function treeOf(filters: readonly string[]): TopicTree<true> {
  const tree = new TopicTree<true>();
  for (const filter of filters) tree.add(filter, true);
  return tree;
}
