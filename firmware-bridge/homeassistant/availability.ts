/**
 * Whether a component can be reached, by the topics that its announcement names. Source:
 * https://www.home-assistant.io/integrations/mqtt/#using-availability-topics.
 */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { TemplateSet } from "../jinja/template-set.ts";
import { objectsOf } from "../json-values.ts";
import { type Received, says } from "./component.ts";
import { Config } from "./config.ts";

type Mode = "all" | "any" | "latest";

interface Source {
  readonly topic: string;
  readonly read: (received: Received) => boolean | null;
}

/** The availability of one or more components that report it in the same way. */
export class Availability {
  readonly #sources: readonly Source[];
  readonly #mode: Mode;
  readonly #states = new Map<Source, boolean>();
  #latest: boolean | null = null;

  private constructor(sources: readonly Source[], mode: Mode) {
    this.#sources = sources;
    this.#mode = mode;
  }

  /** The availability in a configuration; null if it defines none. */
  static of(values: JsonObject, templates: TemplateSet, problems: string[]): Availability | null {
    const config = new Config(values, templates);
    const listed = objectsOf(config.raw("availability")).map((entry) =>
      sourceOf(new Config(entry, templates), { topic: "topic", template: "value_template" }, problems),
    );
    const single = sourceOf(config, { topic: "availability_topic", template: "availability_template" }, problems);
    const sources = [...listed, single].filter((source): source is Source => source !== null);
    const mode = config.text("availability_mode");
    problems.push(...config.problems);
    return sources.length === 0 ? null : new Availability(sources, mode === "all" || mode === "any" ? mode : "latest");
  }

  /** The part of a configuration about availability: components with the same text share one. */
  static textOf(values: JsonObject): string {
    const keys = [
      "availability",
      "availability_topic",
      "availability_template",
      "availability_mode",
      "payload_available",
      "payload_not_available",
    ];
    return JSON.stringify(keys.map((key) => (Object.hasOwn(values, key) ? values[key] : null)));
  }

  get topics(): readonly string[] {
    return this.#sources.map(({ topic }) => topic);
  }

  /** True, false, or null before the first report. */
  get online(): boolean | null {
    if (this.#mode === "latest") return this.#latest;
    const known = this.#sources.map((source) => this.#states.get(source));
    if (known.every((state) => state === undefined)) return null;
    return this.#mode === "any" ? known.some((state) => state === true) : known.every((state) => state === true);
  }

  /** Takes in a message of one of its topics. */
  hear(topic: string, received: Received): void {
    for (const source of this.#sources) {
      if (source.topic !== topic) continue;
      const online = source.read(received);
      if (online === null) continue;
      this.#states.set(source, online);
      this.#latest = online;
    }
  }
}

function sourceOf(config: Config, names: { topic: string; template: string }, problems: string[]): Source | null {
  const topic = config.topic(names.topic);
  if (topic === null) return null;
  const template = config.template(names.template);
  const [online, offline] = [
    config.payload("payload_available", "online"),
    config.payload("payload_not_available", "offline"),
  ];
  problems.push(...config.problems);
  return {
    topic,
    read: (received) => {
      const text = received.through(template)?.text;
      if (text === undefined) return null;
      return says(text, online) ? true : says(text, offline) ? false : null;
    },
  };
}
