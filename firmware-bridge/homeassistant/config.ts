/** A component's announced settings, read by name and checked. Errors in them are collected for the console. */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { Template } from "../jinja/template.ts";
import type { TemplateSet } from "../jinja/template-set.ts";
import { member, numberOf, textOf, textsOf } from "../json-values.ts";

const TOPIC = /^[^#+]{1,512}$/;

/** Read access to one component's settings. */
export class Config {
  readonly #values: JsonObject;
  readonly #templates: TemplateSet;
  /** Unusable settings, with reasons; filled while reading. */
  readonly problems: string[] = [];

  constructor(values: JsonObject, templates: TemplateSet) {
    this.#values = values;
    this.#templates = templates;
  }

  /** The raw value; undefined if it is missing. */
  raw(name: string): unknown {
    return member(this.#values, name);
  }

  /** Whether it is set at all. */
  has(name: string): boolean {
    const value = this.raw(name);
    return value !== undefined && value !== null;
  }

  text(name: string): string | null {
    return textOf(this.raw(name));
  }

  number(name: string): number | null {
    return numberOf(this.raw(name));
  }

  flag(name: string): boolean | null {
    const value = this.raw(name);
    return typeof value === "boolean" ? value : value === "true" ? true : value === "false" ? false : null;
  }

  /** A list of texts; numbers in it are written as texts. At most 64. */
  list(name: string): string[] {
    const value = this.raw(name);
    if (!Array.isArray(value)) return [];
    return textsOf(value.map((entry: unknown) => (typeof entry === "number" ? String(entry) : entry))).slice(0, 64);
  }

  /**
   * A topic to which messages can be published; null if it is missing or has wildcards. Brokers' own topics (`$SYS`)
   * are refused.
   */
  topic(name: string): string | null {
    const value = this.raw(name);
    if (typeof value !== "string" || value === "") return null;
    if (TOPIC.test(value) && !value.startsWith("$") && !value.includes("\0")) return value;
    this.problems.push(`${name} is no topic`);
    return null;
  }

  /** A payload as Home Assistant compares it: every JSON value as Python writes it. */
  payload(name: string, otherwise: string): string {
    const value = this.raw(name);
    if (typeof value === "string") return value.slice(0, 1024);
    if (typeof value === "boolean") return value ? "True" : "False";
    return typeof value === "number" ? String(value) : otherwise;
  }

  /** A payload that can be disabled with an empty text or null, as some commands can. */
  optionalPayload(name: string, otherwise: string): string | null {
    const value = this.raw(name);
    return value === null || value === "" ? null : this.payload(name, otherwise);
  }

  /**
   * A template; null if none is configured. One that cannot be evaluated is a problem, and yields a template without a
   * value.
   */
  template(name: string): Template | null {
    const value = this.raw(name);
    if (typeof value !== "string" || value.trim() === "") return null;
    const template = this.#templates.compile(value);
    if (!("unsupported" in template)) return template;
    this.problems.push(`${name} cannot be evaluated: ${template.unsupported}`);
    return { source: value, evaluate: () => ({ missing: template.unsupported }) };
  }
}
