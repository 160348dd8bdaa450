/**
 * Owns the automation rules of all sites: the list that callers read and write, and (through the engine) the rules'
 * actions. In: rule bodies from callers, facts from the bus. Out: commands, scenes and feed items. Must never know how
 * a command reaches a device, or who asked for a list.
 */
import { isDeepStrictEqual } from "node:util";
import type { Facts } from "../../core/api/facts.ts";
import type { Bus } from "../../core/kernel/bus.ts";
import { type Clock, DAY_MS } from "../../core/kernel/clock.ts";
import type { ClockTrustView } from "../../core/kernel/clock-trust.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { bodyRefused, Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import { type DryRun, dryRun, type SampleEvent } from "./dry-run.ts";
import { AutomationEngine } from "./engine.ts";
import type { House } from "./house.ts";
import { InputCheck } from "./input.ts";
import { type Draft, type Preview, preview } from "./preview.ts";
import { type Author, HOUSEHOLD, mayKnow, tellsOfVehicles, tellsWhereabouts } from "./rights.ts";
import { RuleCache } from "./rule-cache.ts";
import { type AutomationView, bodyOf, notFound, viewOf } from "./rule-view.ts";
import type { Rule, RuleBody } from "./rules/rule.ts";
import { RunReports } from "./run-reports.ts";
import type { StartVerdict } from "./runs.ts";
import { AutomationTable } from "./tables/automation.ts";
import { type Trace, Traces } from "./traces.ts";
import { copyName, type ExportedRules, rulesOf, toExport, within } from "./transfer.ts";

/** The action recorded in the audit list for a rule; a person who wrote it or switched it on answers for it. */
type RuleAction =
  | "automation.created"
  | "automation.rewritten"
  | "automation.enabled"
  | "automation.edited"
  | "automation.held"
  | "automation.resumed"
  | "automation.removed";

/** What {@link Automations} needs. */
export interface AutomationsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly trust: ClockTrustView;
  readonly logger: Logger;
  readonly bus: Bus<Facts>;
  readonly house: House;
  /** Most rules of one site; default 500. */
  readonly maxRules?: number;
  /** Runs of one rule in any 60 seconds before it is switched off; default 60. */
  readonly maxRunsPerMinute?: number;
  /** How long overdue work waits after a start; default 10 s. */
  readonly settleMs?: number;
}

const MAX_RULES = 500;
const MAX_RUNS_PER_MINUTE = 60;
const SETTLE_MS = 10_000;
const LONGEST_PAUSE_MS = 366 * 86_400_000;

/** The automation rules and their engine. A Service. */
export class Automations {
  readonly name = "automations";
  readonly #options: AutomationsOptions;
  readonly #rules = new RuleCache();
  readonly #check: InputCheck;
  readonly #traces: Traces;
  readonly #reports: RunReports;
  readonly #engine: AutomationEngine;
  #table: AutomationTable | null = null;
  #isRunning = false;

  constructor(options: AutomationsOptions) {
    this.#options = options;
    this.#check = new InputCheck(options.house);
    this.#traces = new Traces(options);
    this.#reports = new RunReports({ ...options, rules: this.#rules, traces: this.#traces });
    this.#engine = new AutomationEngine({
      ...options,
      rules: this.#rules,
      traces: this.#traces,
      maxRunsPerMinute: options.maxRunsPerMinute ?? MAX_RUNS_PER_MINUTE,
      settleMs: options.settleMs ?? SETTLE_MS,
      reports: this.#reports,
      pause: (rule) => this.#pause(rule),
    });
  }

  /** Loads the rules, resumes what was waiting when the hub stopped, and begins to listen. */
  async start(): Promise<void> {
    this.load();
    this.#traces.start();
    this.#engine.start();
    this.#isRunning = true;
  }

  /** Only loads the rules: for a hub that is not running, whose rules can be read and written. */
  load(): void {
    this.#table = new AutomationTable(this.#options.database);
    this.#rules.clear();
    for (const rule of this.#table.all()) this.#rules.set(rule);
  }

  /** Stops listening and writes what is left; waits stay on disk. */
  async stop(): Promise<void> {
    if (this.#table === null) return;
    this.#isRunning = false;
    this.#engine.stop();
    await this.#traces.stop();
    this.#table = null;
  }

  /**
   * The site's rules by id, as far as a reader may know about them: rules about vehicles only with the right to read
   * plates.
   */
  list(siteId: number, reader: Author = HOUSEHOLD): AutomationView[] {
    return this.#ofSite(siteId)
      .filter((rule) => mayKnow(reader, rule))
      .map((rule) => this.#view(rule));
  }

  /** One rule. @throws Problem `automation_not_found`. */
  get(siteId: number, id: number, reader: Author = HOUSEHOLD): AutomationView {
    return this.#view(this.#own(siteId, id, reader));
  }

  /**
   * Makes a rule from a request body (`AutomationInput` of docs/spec/device-control-api.md §4).
   * @throws Problem `invalid_body` with JSON pointers, `insufficient_scope` with those of the parts that `by` may not
   *   do by itself, `device_not_owned` with `deviceIds`, `unknown_scene`, `invalid_plate`, `limit_reached`.
   */
  async create(siteId: number, body: unknown, by: Author = HOUSEHOLD): Promise<AutomationView> {
    await this.#check.ready();
    return this.#view(
      await this.#options.database.write(() => this.#insert(siteId, this.#check.whole(siteId, body, by), by)),
    );
  }

  /** Loads what rules are checked by: before {@link put}. */
  async ready(): Promise<void> {
    await this.#check.ready();
  }

  /**
   * Inside a job, for the household itself: creates a rule, or replaces everything written in the one with `id`.
   * @throws like {@link create}
   */
  put(siteId: number, id: number | null, body: unknown): { readonly id: number; readonly changed: boolean } {
    const rule = this.#check.whole(siteId, body, HOUSEHOLD);
    if (id === null) return { id: this.#insert(siteId, rule, HOUSEHOLD).id, changed: true };
    const before = this.#stored(siteId, id);
    if (isDeepStrictEqual(rule, bodyOf(before))) return { id, changed: false };
    this.#update(id, { ...rule, authorKey: null });
    this.#record(before, rule.name, "automation.rewritten", HOUSEHOLD);
    return { id, changed: true };
  }

  /**
   * Replaces the given members of a rule; the result is checked as a whole. A person or key that rewrites what the rule
   * does becomes its author; a person of the household who switches on a rule that its key may not carry out any more
   * takes it over. `check` may refuse, judging by the rule as it is.
   * @throws like {@link create}, Problem `automation_not_found`, and what `check` throws
   */
  async edit(
    siteId: number,
    id: number,
    patch: unknown,
    by: Author = HOUSEHOLD,
    check?: (current: RuleBody) => void,
  ): Promise<AutomationView> {
    this.#own(siteId, id, by); // an unknown rule is 404 before its body is checked
    await this.#check.ready();
    const after = await this.#options.database.write(() => {
      const before = this.#stored(siteId, id);
      check?.(before);
      const { rule, rewritten, switchedOn, saysOn } = this.#check.merged(siteId, before, patch, by);
      const takesOver = by.keyId === null && saysOn && !this.#engine.mayRun(before);
      const body = { ...rule, authorKey: rewritten || takesOver ? by.keyId : before.authorKey };
      const done = rewritten ? "rewritten" : switchedOn || takesOver ? "enabled" : "edited";
      const updatedAt = this.#update(id, body);
      this.#record(before, rule.name, `automation.${done}`, by); // last: it may end what its author has no right to
      return { ...before, ...body, pausedUntil: pauseAfter(before, body), updatedAt };
    });
    return this.#view(this.#rules.get(id) ?? after);
  }

  /** Deletes a rule and everything that waits for it. @throws Problem `automation_not_found` */
  async remove(siteId: number, id: number, by: Author = HOUSEHOLD): Promise<void> {
    this.#own(siteId, id, by);
    await this.#options.database.write(() => {
      const rule = this.#stored(siteId, id);
      this.#rows.remove(id);
      this.#record(rule, rule.name, "automation.removed", by);
      this.#options.database.committed(() => {
        this.#engine.removed(this.#rules.get(id) ?? rule);
        this.#rules.delete(id);
      });
    });
  }

  /**
   * Runs a rule now, whatever its trigger and conditions, on behalf of `actor`.
   * @throws Problem `automation_not_found`; `conflict` when its mode allows no more runs or its author may not do
   *   what it does
   */
  runNow(
    siteId: number,
    id: number,
    actor: string,
  ): Extract<StartVerdict, { started: true }> | { started: false; reason: "queued" } {
    const rule = this.#own(siteId, id);
    if (!this.#engine.mayRun(rule)) throw new Problem("conflict", { code: "conflict.authorMayNot" });
    const verdict = this.#engine.runNow(rule, actor);
    if (verdict.started) return verdict;
    if (verdict.reason === "queued") return { started: false, reason: "queued" };
    throw new Problem("conflict", { code: "conflict.runWaiting" });
  }

  /**
   * What a rule would do, after `sample` or its own trigger, at `at` (epoch ms) or now. Sends nothing.
   * @throws Problem `automation_not_found`.
   */
  dryRun(siteId: number, id: number, given: { sample?: SampleEvent; at?: number } = {}): DryRun {
    const rule = this.#own(siteId, id);
    const world = this.#engine.world(siteId);
    const { registry } = this.#options.house;
    return dryRun({
      rule,
      sample: given.sample ?? null,
      world: given.at === undefined ? world : { ...world, now: given.at },
      registry,
    });
  }

  /**
   * The current state of a rule that is still being written, judged as the engine judges it. Changes and sends nothing;
   * see {@link preview}.
   */
  async preview(siteId: number, draft: Draft): Promise<Preview> {
    await this.#check.ready();
    const { registry } = this.#options.house;
    const own = (id: string) => (registry.find(id)?.siteId === siteId ? registry.find(id) : null);
    return preview({
      draft,
      world: this.#engine.world(siteId),
      check: this.#check,
      online: (id) => own(id)?.online,
    });
  }

  /** When each enabled rule of the site that is started by time comes next, epoch ms. */
  nextTurns(siteId: number): { readonly id: number; readonly at: number }[] {
    return this.#ofSite(siteId).flatMap(({ id, enabled }) => {
      const at = enabled ? this.#engine.nextTurn(id) : null;
      return at === null ? [] : [{ id, at }];
    });
  }

  /** Until when the site's rules that are paused now are. */
  pauses(siteId: number): readonly { readonly id: number; readonly until: number }[] {
    return this.#ofSite(siteId).flatMap((rule) =>
      rule.pausedUntil !== null && this.#engine.isPaused(rule) ? [{ id: rule.id, until: rule.pausedUntil }] : [],
    );
  }

  /**
   * Has nothing start a rule until a moment (epoch ms), after which it is on as before; null ends the pause. Runs that
   * have begun go on, those that wait in its queue are left out.
   * @throws Problem `automation_not_found`; `invalid_body` for a moment that is past or more than a year away;
   *   `conflict` when the rule is off
   */
  async pauseUntil(siteId: number, id: number, until: number | null, by: Author = HOUSEHOLD): Promise<void> {
    this.#own(siteId, id, by);
    const now = this.#options.clock.now();
    if (until !== null && until <= now)
      throw bodyRefused("/until", "past", { code: "refusal.untilPast" }, "/until must be in the future.");
    if (until !== null && until > now + LONGEST_PAUSE_MS)
      throw bodyRefused("/until", "too_late", { code: "refusal.pauseTooLong" }, "/until must be within a year.");
    await this.#options.database.write(() => {
      const rule = this.#stored(siteId, id);
      if (!rule.enabled && until !== null) throw new Problem("conflict", { code: "conflict.pausedOff" });
      this.#rows.pause(until, id);
      this.#options.database.committed(() => {
        const known = this.#rules.get(id);
        if (known !== null) this.#rules.set({ ...known, pausedUntil: until });
        if (until !== null && this.#isRunning) this.#engine.paused(id);
      });
      this.#record(rule, rule.name, until === null ? "automation.resumed" : "automation.held", by);
    });
  }

  /** What a rule did and decided not to do, newest first, at most 50. @throws Problem `automation_not_found`. */
  async traces(siteId: number, id: number): Promise<Trace[]> {
    this.#own(siteId, id);
    return this.#traces.list(id);
  }

  /**
   * Inside a job: deletes what is kept of runs that a plate set off, and takes it out of those that are not over. A rule
   * that names it stays as it was written.
   */
  forgetPlate(siteId: number, plate: string): void {
    const ruleIds = new Set(this.#ofSite(siteId).map(({ id }) => id));
    this.#traces.forgetPlate(siteId, plate, ruleIds);
    if (this.#isRunning) this.#engine.forgetPlate(plate, ruleIds);
  }

  /** Deletes traces that are older than reads may be: those of a rule that seldom runs would stay for years. */
  async sweepTraces(days: number): Promise<void> {
    if (this.#isRunning) await this.#traces.removeOlder(this.#options.clock.certain() - days * DAY_MS);
  }

  /**
   * A copy of a rule, switched off, under a name that marks it as a copy.
   * @throws Problem `automation_not_found`, and like {@link create}
   */
  async duplicate(siteId: number, id: number, by: Author = HOUSEHOLD): Promise<AutomationView> {
    const rule = this.#own(siteId, id);
    return this.create(siteId, { ...bodyOf(rule), name: copyName(rule.name), enabled: false }, by);
  }

  /** Inside a job: switches a rule off, on behalf of `actor`; its runs end with it. */
  switchOff(siteId: number, id: number, actor: string): void {
    const rule = this.#stored(siteId, id);
    this.#update(id, { ...bodyOf(rule), authorKey: rule.authorKey, enabled: false });
    this.#record(rule, rule.name, "automation.edited", { ...HOUSEHOLD, actor });
  }

  /** The stored rules of a site, by id. */
  rules(siteId: number): readonly Rule[] {
    return this.#ofSite(siteId);
  }

  /** All rules of a site as a JSON document that {@link importRules} takes. */
  exportRules(siteId: number): ExportedRules {
    return toExport(this.#ofSite(siteId));
  }

  /**
   * Adds the rules of an exported document, all or none. @throws like {@link create}, with pointers into the document
   */
  async importRules(siteId: number, document: unknown, by: Author = HOUSEHOLD): Promise<AutomationView[]> {
    await this.#check.ready();
    const bodies = rulesOf(document);
    return this.#options.database.write(() =>
      bodies
        .map((body, index) => within(`/automations/${index}`, () => this.#check.whole(siteId, body, by)))
        .map((rule) => this.#view(this.#insert(siteId, rule, by))),
    );
  }

  /** Notes that a rule ran well in a simulated household's made-up past. */
  recordPast(id: number, at: number): void {
    this.#reports.past(id, at);
  }

  /** Call when the time zone or the coordinates of a site have changed: its schedules are recomputed. */
  siteChanged(siteId: number): void {
    if (this.#isRunning) this.#engine.siteChanged(siteId);
  }

  get #rows(): AutomationTable {
    if (this.#table === null) throw new Problem("unavailable", { code: "unavailable.automations" });
    return this.#table;
  }

  /** A view of a rule; see {@link AutomationView}. */
  #view(rule: Rule): AutomationView {
    const { authorKey } = rule;
    const author =
      authorKey === null
        ? null
        : {
            keyId: authorKey,
            name: this.#options.house.keys.author(authorKey).name,
            mayRun: this.#engine.mayRun(rule),
          };
    return { ...viewOf(rule), author };
  }

  #insert(siteId: number, written: RuleBody, by: Author): Rule {
    const body = { ...written, authorKey: by.keyId };
    const most = this.#options.maxRules ?? MAX_RULES;
    // rules that keys write must not keep the household from writing its own
    const limit = by.keyId === null ? most : most - Math.ceil(most / 10);
    if (this.#rows.count(siteId) >= limit)
      throw new Problem("limit_reached", { code: "refusal.most.automations", limit });
    const at = this.#options.clock.now();
    const rule: Rule = {
      ...body,
      id: this.#rows.insert(siteId, body, at),
      siteId,
      pausedUntil: null,
      lastTriggeredAt: null,
      lastResult: null,
      createdAt: at,
      updatedAt: at,
    };
    this.#options.database.committed(() => {
      this.#rules.set(rule);
      if (this.#isRunning) this.#engine.added(rule);
    });
    this.#record(rule, rule.name, "automation.created", by); // last: it may end what its author has no right to
    return rule;
  }

  #record({ siteId, id }: Rule, target: string, action: RuleAction, { actor }: Author): void {
    const { house, clock } = this.#options;
    house.recordAudit({ siteId, actor, action, target, detail: { id }, at: clock.now() });
  }

  /** Inside a job; returns the time of the update. */
  #update(id: number, body: RuleBody & Pick<Rule, "authorKey">): number {
    const updatedAt = this.#options.clock.now();
    this.#rows.update(id, body, updatedAt);
    this.#options.database.committed(() => this.#replaced(id, { ...body, updatedAt }));
    return updatedAt;
  }

  #replaced(id: number, change: RuleBody & Pick<Rule, "authorKey" | "updatedAt">): void {
    const before = this.#rules.get(id);
    if (before === null) return;
    const after = { ...before, ...change, pausedUntil: pauseAfter(before, change) };
    this.#rules.set(after);
    if (this.#isRunning) this.#engine.changed(before, after);
  }

  /** At once in memory, so that a runaway rule stops here and now. */
  #pause(rule: Rule): void {
    const { clock, database, house, logger } = this.#options;
    const updatedAt = clock.now();
    this.#replaced(rule.id, { ...bodyOf(rule), authorKey: rule.authorKey, enabled: false, updatedAt });
    this.#reports.paused(rule.id);
    const limit = this.#options.maxRunsPerMinute ?? MAX_RUNS_PER_MINUTE;
    database
      .write(() => {
        const stored = this.#rows.find(rule.id); // another job in this group commit may have edited the rule
        if (stored === null) return;
        this.#update(rule.id, { ...bodyOf(stored), authorKey: stored.authorKey, enabled: false });
        house.feed.record({
          siteId: rule.siteId,
          kind: tellsWhereabouts(rule) ? "automation.private" : "automation.paused",
          deviceId: null,
          text: { code: "automation.paused", name: rule.name, n: limit },
          aboutVehicles: tellsOfVehicles(rule),
          at: updatedAt,
        });
      })
      .catch((error: unknown) =>
        logger.error({ automationId: rule.id, err: error }, "the pause of a rule could not be stored"),
      );
  }

  #ofSite(siteId: number): Rule[] {
    return this.#rules.all().filter((rule) => rule.siteId === siteId);
  }

  #own(siteId: number, id: number, reader: Author = HOUSEHOLD): Rule {
    const rule = this.#rules.get(id);
    if (rule === null || rule.siteId !== siteId || !mayKnow(reader, rule)) throw notFound(id);
    return rule;
  }

  /** The row itself: another write of the same group may already have changed it. */
  #stored(siteId: number, id: number): Rule {
    const rule = this.#rows.find(id);
    if (rule === null || rule.siteId !== siteId) throw notFound(id);
    return rule;
  }
}

/** The pause of a rule after an edit: switching it on or off ends it. */
function pauseAfter(before: Rule, { enabled }: Pick<RuleBody, "enabled">): number | null {
  return before.enabled === enabled ? before.pausedUntil : null;
}
