/**
 * Owns the automation rules of all sites: the list that callers read and write, and (through the engine) what the rules do.
 * In: rule bodies from callers, facts from the bus. Out: commands, scenes and feed items through the ports.
 * Must never know how a command reaches a device, nor who asked for a list.
 */
import type { Action, Condition, Mode, Rule, RuleBody, RunResult, Trigger } from "../domain/automation/rule.js";
import { type Clock, isoTime, isoTimeOrNull } from "../kernel/clock.js";
import { Problem } from "../kernel/problem.js";
import type { Database } from "../storage/database.js";
import { type AutomationTable, automationTable } from "../storage/tables/automation.js";
import { InputCheck } from "./input.js";
import type { AutomationPorts } from "./ports.js";

/** A rule as answers carry it (contract: Automation). */
export interface AutomationView {
  id: number;
  name: string;
  enabled: boolean;
  trigger: Trigger;
  conditions: readonly Condition[];
  action: Action;
  mode: Mode;
  cooldownSeconds: number;
  lastTriggeredAt: string | null;
  lastResult: RunResult | null;
  createdAt: string;
  updatedAt: string;
}

/** What {@link Automations} needs. */
export interface AutomationsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly ports: AutomationPorts;
  /** Rules that one site may have; 500 unless given. */
  readonly maxRules?: number;
}

const MAX_RULES = 500;

/** The automation rules and their engine. */
export class Automations {
  readonly name = "automations";
  readonly #options: AutomationsOptions;
  readonly #rules = new Map<number, Rule>();
  readonly #check: InputCheck;
  #table: AutomationTable | null = null;

  constructor(options: AutomationsOptions) {
    this.#options = options;
    const { ports } = options;
    this.#check = new InputCheck({
      ownsDevice: (siteId, deviceId) => ports.device(deviceId)?.siteId === siteId,
      sceneDevices: (siteId, sceneId) => ports.sceneDevices(siteId, sceneId),
      normalisePlate: (text) => ports.normalisePlate(text),
    });
  }

  /** Loads the rules. */
  async start(): Promise<void> {
    this.#table = automationTable(this.#options.database);
    for (const rule of this.#table.all()) this.#rules.set(rule.id, rule);
  }

  /** Forgets the rules. */
  async stop(): Promise<void> {
    this.#rules.clear();
    this.#table = null;
  }

  /** The site's rules by id. */
  list(siteId: number): AutomationView[] {
    return [...this.#rules.values()].filter((rule) => rule.siteId === siteId).map(view);
  }

  /** One rule. @throws Problem `automation_not_found`. */
  get(siteId: number, id: number): AutomationView {
    return view(this.#own(siteId, id));
  }

  /**
   * Makes a rule from a request body (contract: AutomationInput).
   * @throws Problem `invalid_body` with JSON pointers, `device_not_owned` with `deviceIds`, `unknown_scene`, `invalid_plate`, `limit_reached`.
   */
  async create(siteId: number, body: unknown): Promise<AutomationView> {
    const rule = this.#check.whole(siteId, body);
    return view(await this.#options.database.write(() => this.#insert(siteId, rule)));
  }

  /** Replaces the given members of a rule; the result is checked as a whole. @throws as {@link create}, and Problem `automation_not_found`. */
  async edit(siteId: number, id: number, patch: unknown): Promise<AutomationView> {
    const after = await this.#options.database.write(() => {
      const before = this.#stored(siteId, id);
      const body = this.#check.merged(siteId, before, patch);
      const updatedAt = this.#options.clock.now();
      this.#rows.update(id, body, updatedAt);
      this.#options.database.committed(() => {
        const held = this.#rules.get(id);
        if (held) this.#rules.set(id, { ...held, ...body, updatedAt });
      });
      return { ...before, ...body, updatedAt };
    });
    return view(after);
  }

  /** Deletes a rule and all that waits for it. @throws Problem `automation_not_found`. */
  async remove(siteId: number, id: number): Promise<void> {
    await this.#options.database.write(() => {
      this.#stored(siteId, id);
      this.#rows.remove(id);
      this.#options.database.committed(() => this.#rules.delete(id));
    });
  }

  get #rows(): AutomationTable {
    if (this.#table === null) throw new Problem("unavailable", "Automations are not running.");
    return this.#table;
  }

  #insert(siteId: number, body: RuleBody): Rule {
    const limit = this.#options.maxRules ?? MAX_RULES;
    if (this.#rows.count(siteId) >= limit) throw new Problem("limit_reached", `An account may have at most ${limit} automation rules.`);
    const at = this.#options.clock.now();
    const rule: Rule = { ...body, id: this.#rows.insert(siteId, body, at), siteId, lastTriggeredAt: null, lastResult: null, createdAt: at, updatedAt: at };
    this.#options.database.committed(() => this.#rules.set(rule.id, rule));
    return rule;
  }

  #own(siteId: number, id: number): Rule {
    const rule = this.#rules.get(id);
    if (rule === undefined || rule.siteId !== siteId) throw notFound(id);
    return rule;
  }

  /** The row itself: another write of the same group may have changed it already. */
  #stored(siteId: number, id: number): Rule {
    const rule = this.#rows.find(id);
    if (rule === null || rule.siteId !== siteId) throw notFound(id);
    return rule;
  }
}

function notFound(id: number): Problem {
  return new Problem("automation_not_found", `There is no automation ${id}.`);
}

function view(rule: Rule): AutomationView {
  const { siteId: _siteId, ...members } = rule;
  return {
    ...members,
    lastTriggeredAt: isoTimeOrNull(rule.lastTriggeredAt),
    createdAt: isoTime(rule.createdAt),
    updatedAt: isoTime(rule.updatedAt),
  };
}
