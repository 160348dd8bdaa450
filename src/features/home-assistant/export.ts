/**
 * The household in Home Assistant: announces devices, scenes and the gate's events on a broker, keeps them up to date
 * there, and takes commands. In: entities to announce; messages of the broker. Out: retained messages, commands. It
 * remembers announced devices across restarts, so that none is left behind when it is removed. It must never know what
 * a broker is, or how a command travels.
 */
import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { smallFileText } from "../../core/kernel/small-file.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import { writeFileAtomic } from "../../core/kernel/write-file-atomic.ts";
import type { AnnouncedHousehold } from "./announced-household.ts";
import type { ToldEvent } from "./heard-events.ts";
import {
  type Announced,
  addressed,
  commandFilter,
  commandOf,
  type ExportTopics,
  eventTopic,
  messagesOf,
  type Platforms,
  statusTopic,
  topicsOf,
} from "./messages.ts";

/** What the export needs of the broker. */
interface ExportBroker {
  isConnected(): boolean;
  /** Leaves a retained message; an empty one clears. Resolves with whether the broker has it. */
  put(topic: string, payload: string): Promise<boolean>;
  /** Publishes an event that is not retained. */
  tell(topic: string, payload: string): void;
}

/** The hub itself is announced under this key. No device has such an id. */
const HUB = "/";
/** Changes within this time are published together. */
const GATHER_MS = 200;
/** Messages that may wait for the broker's answer at once: fewer than the lowest limit of common brokers. */
const UNDER_WAY = 8;
const LONGEST_COMMAND = 2_048;
/** Home Assistant's start is answered at most this often, however often a client claims that it has started. */
const BIRTH_MS = 10_000;
/**
 * Commands to one device, or for scenes: publishers at the broker must not wear the card out, on which each command is
 * recorded.
 */
const COMMANDS = { quota: 20, periodMs: 10_000, burst: 20 };
/** Events of one device: a device must not wear out what Home Assistant records them on. */
const EVENTS = { quota: 20, periodMs: 10_000, burst: 40 };
const LOG_LINES = { quota: 1, periodMs: 10_000, burst: 5 };
/** Maximum entities that a device may ever have had: one that keeps renaming its values is not followed forever. */
const MOST_EVER = 200;

/** See the head of the file. */
export class HomeAssistantExport {
  readonly #options: ConstructorParameters<typeof HomeAssistantExport>[0];
  /** Devices that were announced and not withdrawn, with the platforms of all entities they ever had. */
  readonly #announced = new Map<string, Platforms>();
  /** Messages this connection has left at the broker. */
  readonly #left = new Map<string, string>();
  readonly #dirty = new Set<string>();
  readonly #commands = new TokenBuckets(COMMANDS);
  readonly #events = new TokenBuckets(EVENTS);
  readonly #lines = new TokenBuckets(LOG_LINES);
  #timer: Timer | null = null;
  #birth: Timer | null = null;
  #birthMono = Number.NEGATIVE_INFINITY;
  #running = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly topics: ExportTopics;
    readonly broker: ExportBroker;
    readonly household: Pick<AnnouncedHousehold, "all" | "find" | "command">;
    /** The announcing software, with its version. */
    readonly origin: JsonObject;
    /** The file that records what was announced. */
    readonly file: string;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    for (const [key, platforms] of Object.entries(readKept(options.file))) this.#announced.set(key, platforms);
  }

  /** Filters of the topics to subscribe to: commands, and Home Assistant's own coming and going. */
  get filters(): string[] {
    const { topics } = this.#options;
    return [commandFilter(topics), `${topics.discovery}/status`];
  }

  /** Whether anything is announced that would have to be withdrawn. */
  get hasAnnounced(): boolean {
    return this.#announced.size > 0;
  }

  /** The connection is up (again): everything is published again. */
  connected(): void {
    this.#running = true;
    this.#tellAll();
  }

  /** A device's announcement may have changed; without an id: everything. */
  changed(id?: string | null): void {
    if (!this.#running) return;
    if (id === undefined) this.#everything();
    else this.#mark(id ?? HUB);
  }

  /** An event happened at an entity of a device, such as a press. */
  happened(id: string, { entity, type }: ToldEvent): void {
    const { broker, clock, topics } = this.#options;
    const isAnnounced = this.#announced.get(id)?.[entity] !== undefined;
    if (!this.#running || !isAnnounced || !broker.isConnected()) return;
    if (this.#events.take(id, clock.mono()).allowed)
      broker.tell(eventTopic(topics, id, entity), JSON.stringify({ event_type: type }));
    else this.#warn({ device: id }, "a device has too many events for Home Assistant");
  }

  /**
   * Withdraws everything that was announced. Returns whether the broker has cleared all of it; the rest is withdrawn
   * another time.
   */
  async takeBack(): Promise<boolean> {
    this.#pause();
    await this.#work;
    this.#dirty.clear();
    await this.#clear([...this.#announced.keys()]);
    if (!this.hasAnnounced) await this.#options.broker.put(statusTopic(this.#options.topics), "");
    this.#left.clear();
    return !this.hasAnnounced;
  }

  /** Publishes that the hub is shutting down; announcements stay. */
  async leave(): Promise<void> {
    this.#pause();
    if (this.#options.broker.isConnected())
      await this.#options.broker.put(statusTopic(this.#options.topics), "offline");
  }

  #pause(): void {
    this.#running = false;
    this.#timer?.stop();
    this.#birth?.stop();
    this.#timer = null;
    this.#birth = null;
  }

  /** Takes a message on one of the {@link filters}. A retained command is an old one. */
  message({
    topic,
    payload,
    retained,
  }: {
    readonly topic: string;
    readonly payload: Buffer;
    readonly retained: boolean;
  }): void {
    const { topics, household, clock } = this.#options;
    if (!this.#running) return;
    if (topic === `${topics.discovery}/status`) {
      if (payload.toString() === "online" && !retained) this.#born();
      return;
    }
    const to = addressed(topics, topic);
    if (to === null || retained || payload.length > LONGEST_COMMAND || !this.#announced.has(to.id ?? HUB)) return;
    if (!this.#commands.take(to.id ?? HUB, clock.mono()).allowed) {
      this.#warn({ topic }, "Home Assistant sends too many commands");
      return;
    }
    const announced = household.find(to.id);
    const wanted = announced === null ? null : (commandOf(announced.entities, to)?.(payload.toString()) ?? null);
    if (wanted === null) {
      this.#warn({ topic }, "Home Assistant asked for something that is not offered to it");
      return;
    }
    household
      .command(to.id, wanted)
      .catch((error: unknown) => this.#warn({ topic, err: error }, "a command of Home Assistant was not carried out"));
  }

  /** Writes a line to the log, unless there were many like it. */
  #warn(about: object, words: string): void {
    if (this.#lines.take(words, this.#options.clock.mono()).allowed) this.#options.logger.warn(about, words);
  }

  /** Home Assistant has started. */
  #born(): void {
    const { clock } = this.#options;
    this.#birth ??= clock.at(this.#birthMono + BIRTH_MS, () => {
      this.#birth = null;
      this.#birthMono = clock.mono();
      if (this.#running) this.#tellAll();
    });
  }

  #tellAll(): void {
    this.#left.clear();
    this.#everything();
  }

  #everything(): void {
    for (const { id } of this.#options.household.all()) this.#mark(id ?? HUB);
    for (const key of this.#announced.keys()) this.#mark(key);
  }

  #mark(key: string): void {
    this.#dirty.add(key);
    this.#timer ??= this.#options.clock.after(GATHER_MS, () => {
      this.#work = this.#work
        .then(() => this.#publish())
        .catch((error: unknown) => this.#options.logger.error({ err: error }, "an update to Home Assistant failed"));
      void this.#work.then(() => {
        this.#timer = null;
        const [next] = this.#dirty;
        if (next !== undefined && this.#running && this.#options.broker.isConnected()) this.#mark(next);
      });
    });
  }

  async #publish(): Promise<void> {
    const { broker, household, topics } = this.#options;
    if (!this.#running || !broker.isConnected()) return; // the next connection sends everything
    const keys = [...this.#dirty];
    this.#dirty.clear();
    const found = keys.flatMap((key) => household.find(key === HUB ? null : key) ?? []);
    const isPresent = new Set(found.map(({ id }) => id ?? HUB));
    await this.#note(found);
    const present = found.map((announced) => ({
      ...announced,
      entities: announced.entities.filter(({ id }) => this.#announced.get(announced.id ?? HUB)?.[id]),
    }));
    const messages = present.flatMap((announced) => [
      ...messagesOf(topics, announced, this.#options.origin, this.#announced.get(announced.id ?? HUB) ?? {}),
    ]);
    const isNews = messages.some(([topic, payload]) => topic.endsWith("/config") && this.#left.get(topic) !== payload);
    await this.#inTurns(messages, ([topic, payload]) => this.#put(topic, payload));
    // A client that learns of a device only now, and does not ask for retained messages, still has to receive the hub's
    // status.
    if (isNews) this.#left.delete(statusTopic(topics));
    await this.#put(statusTopic(topics), "online");
    await this.#clear(keys.filter((key) => !isPresent.has(key) && this.#announced.has(key)));
  }

  /** Records what is about to be announced: it will have to be withdrawn. */
  async #note(present: readonly Announced[]): Promise<void> {
    let isNews = false;
    for (const { id, entities } of present) {
      const key = id ?? HUB;
      const known = this.#announced.get(key);
      // scenes are made by people
      const room = id === null ? entities.length : MOST_EVER - Object.keys(known ?? {}).length;
      const missing = entities.filter((entity) => known?.[entity.id] !== entity.platform).slice(0, Math.max(0, room));
      if (known !== undefined && missing.length === 0) continue;
      this.#announced.set(key, {
        ...known,
        ...Object.fromEntries(missing.map((entity) => [entity.id, entity.platform])),
      });
      isNews = true;
    }
    if (isNews) await this.#keep();
  }

  async #clear(keys: readonly string[]): Promise<void> {
    const { topics, broker } = this.#options;
    let isNews = false;
    await this.#inTurns(keys, async (key) => {
      const all = Object.values(topicsOf(topics, key === HUB ? null : key));
      const cleared = await Promise.all(all.map((topic) => broker.put(topic, "")));
      for (const topic of all) this.#left.delete(topic);
      if (!cleared.every(Boolean)) return;
      this.#announced.delete(key);
      isNews = true;
    });
    if (isNews) await this.#keep();
  }

  async #put(topic: string, payload: string): Promise<boolean> {
    if (this.#left.get(topic) === payload) return true;
    const isThere = await this.#options.broker.put(topic, payload);
    if (isThere) this.#left.set(topic, payload);
    return isThere;
  }

  async #inTurns<Item>(items: readonly Item[], each: (item: Item) => Promise<unknown>): Promise<void> {
    for (let at = 0; at < items.length; at += UNDER_WAY) await Promise.all(items.slice(at, at + UNDER_WAY).map(each));
  }

  #keep(): Promise<void> {
    const { file, logger } = this.#options;
    const text = `${JSON.stringify(Object.fromEntries(this.#announced))}\n`;
    return writeFileAtomic(file, text).catch((error: unknown) =>
      logger.warn({ err: error }, "Home Assistant's known entities could not be stored"),
    );
  }
}

/** The announcements of an earlier run; none if the file is missing or torn. */
function readKept(file: string): Record<string, Platforms> {
  try {
    const kept: unknown = JSON.parse(smallFileText(file) ?? "{}");
    // written by #keep only
    return typeof kept === "object" && kept !== null ? (kept as Record<string, Platforms>) : {};
  } catch {
    return {};
  }
}
