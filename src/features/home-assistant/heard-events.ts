import { smallFileText } from "../../core/kernel/small-file.ts";
import { writeFileAtomic } from "../../core/kernel/write-file-atomic.ts";
import { titled } from "../devices/rules/device-types.ts";
import { type Entity, type EventSources, entity } from "./entity.ts";

/** An event in Home Assistant's form. */
export interface ToldEvent {
  /** Id of the entity. */
  readonly entity: string;
  readonly type: string;
}

const SOURCE = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;
const TYPE = /^[\w .-]{1,40}$/;
const BUTTON = /^button\d{0,2}$/;
/** A button that can be pressed once can be pressed twice: all its event types are known from its first press on. */
const PRESSES = ["single", "double", "triple", "quadruple", "long", "release"];
/** Per device, which may report more kinds than anybody wants to see. */
const MOST_SOURCES = 12;
const MOST_TYPES = 24;

/** See the head of the file. */
export class HeardEvents {
  readonly #file: string;
  readonly #failed: (error: unknown) => void;
  readonly #heard: Map<string, Record<string, readonly string[]>>;
  #writing: Promise<void> = Promise.resolve();

  /** `file`: where events are stored. `failed` is called when it could not be written. */
  constructor(file: string, failed: (error: unknown) => void) {
    this.#file = file;
    this.#failed = failed;
    this.#heard = new Map(Object.entries(readKept(file)));
  }

  /** The sources of a device's events. */
  of(deviceId: string): EventSources {
    return this.#heard.get(deviceId) ?? {};
  }

  /**
   * Takes an event. Returns what to publish; `news` for a type that has to be announced first, null for one that Home
   * Assistant could not take, or beyond the limit.
   */
  note(deviceId: string, kind: string): ToldEvent | "news" | null {
    const [source, type] = partsOf(kind);
    if (!SOURCE.test(source) || !TYPE.test(type)) return null;
    const sources = this.#heard.get(deviceId) ?? {};
    const known = Object.hasOwn(sources, source) ? (sources[source] ?? []) : [];
    if (known.includes(type)) return { entity: `event_${source}`, type };
    const isFull = known.length >= MOST_TYPES || (known.length === 0 && Object.keys(sources).length >= MOST_SOURCES);
    if (isFull) return null;
    const first = known.length === 0 && BUTTON.test(source) ? PRESSES : known;
    this.#heard.set(deviceId, { ...sources, [source]: [...new Set([...first, type])] });
    this.#keep();
    return "news";
  }

  /** A device was removed. */
  forget(deviceId: string): void {
    if (this.#heard.delete(deviceId)) this.#keep();
  }

  #keep(): void {
    this.#writing = this.#writing
      .then(() => writeFileAtomic(this.#file, `${JSON.stringify(Object.fromEntries(this.#heard))}\n`))
      .catch(this.#failed);
  }
}

/** `button2` as `button 2`. A regular expression would start again at each digit of a long number. */
function withSpacedNumber(source: string): string {
  let end = source.length;
  while (end > 0 && source.charCodeAt(end - 1) >= 48 && source.charCodeAt(end - 1) <= 57) end -= 1;
  return end === source.length ? source : `${source.slice(0, end)} ${source.slice(end)}`;
}

/** The event entities of a device. */
export function eventEntities(sources: EventSources): Entity[] {
  return Object.entries(sources).map(([source, types]) =>
    entity("event", source, {
      config: {
        name: titled(withSpacedNumber(source)),
        ...(BUTTON.test(source) ? { device_class: "button" } : {}),
        event_types: [...types],
      },
    }),
  );
}

/** `button2.long` comes from `button2`; a single word, such as `updated`, from the device. */
function partsOf(kind: string): readonly [source: string, type: string] {
  const dot = kind.indexOf(".");
  return dot === -1 ? ["event", kind] : [kind.slice(0, dot), kind.slice(dot + 1)];
}

/** The events an earlier run received; none if the file is missing or torn. */
function readKept(file: string): Record<string, Record<string, readonly string[]>> {
  try {
    const kept: unknown = JSON.parse(smallFileText(file) ?? "{}");
    // written by #keep only
    return typeof kept === "object" && kept !== null ? (kept as Record<string, Record<string, readonly string[]>>) : {};
  } catch {
    return {};
  }
}
