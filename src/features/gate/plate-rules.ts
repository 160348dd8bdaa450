import { isDeepStrictEqual } from "node:util";
import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { typedPlate } from "../../core/plates/analyse.ts";
import type { Countries } from "../../core/plates/countries.ts";
import type { Earns, RuleKind, RuleWindow } from "../../core/plates/decide.ts";
import { authorOf, type RuleAuthor } from "../../core/plates/masters.ts";
import { storedWindows, windowsText } from "../../core/storage/stored-windows.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { CameraSettings } from "./camera-settings.ts";
import { unknownDevice } from "./camera-settings.ts";
import type { SharedRules } from "./ports.ts";
import {
  alreadyListed,
  type ImportBatch,
  type ImportedRules,
  ImportTurns,
  type ImportWay,
  importRules,
  refusalOf,
} from "./rule-import.ts";
import { widens } from "./rules/widens.ts";
import type { PlateRuleRow, RuleDraft } from "./tables/plate-rule.ts";
import type { GateTables } from "./tables.ts";

/** A plate rule (docs/spec/device-control-api.md §2); times are epoch milliseconds. */
export interface Rule extends Omit<PlateRuleRow, "siteId" | "createdAt" | "windows" | "enabled" | "master"> {
  /** Empty: at all times. */
  readonly windows: readonly RuleWindow[];
  readonly enabled: boolean;
}

/** What a new rule is made of. */
export interface NewRule {
  readonly plate: string;
  /** allow unless given. */
  readonly kind?: RuleKind | undefined;
  readonly label?: string | undefined;
  readonly deviceId?: string | null | undefined;
  readonly validFrom?: number | null | undefined;
  readonly validTo?: number | null | undefined;
  readonly windows?: readonly RuleWindow[] | undefined;
  readonly enabled?: boolean | undefined;
  /** What the plate earns, if it is allowed; null or absent: what the defaults say. */
  readonly earns?: Earns | null | undefined;
}

/** What may change; absent members stay. */
export type RuleEdit = Partial<
  Pick<Rule, "kind" | "label" | "validFrom" | "validTo" | "windows" | "enabled" | "earns">
>;

/** Asks again, inside the job of an act, whether it may be done still. @throws Problem forbidden */
export type AskAgain = () => void;
/** For acts of the hub and of guests, which ask in their own way. */
export const ASKED: AskAgain = () => {};

/** Most rules of one household that have not ended, and most that have. */
const MAX_RULES = 5_000;
const MAX_LABEL = 80;
/** Lines of a list that are gone through before anything else has its turn. */
const LINES_AT_ONCE = 50;

/** What the lists still take from somebody. */
interface Room {
  /** Rules of the household, and those that have ended. */
  readonly held: number;
  readonly ended: number;
  /** Rules that somebody answers for who is no owner; null: an owner, or the household. */
  readonly own: number | null;
}

interface Siblings {
  readonly tables: GateTables;
  readonly cameras: CameraSettings;
  readonly access: AccessFeature;
  readonly countries: Countries;
}

/** The allow, deny and watch list. */
export class PlateRules {
  readonly #base: Base;
  readonly #siblings: Siblings;
  readonly #turns = new ImportTurns();
  #shared: { readonly rules: SharedRules; readonly siteId: () => number | null } | null = null;

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /**
   * From now on the rules for all cameras of one household are edited together with other hubs. Those for one camera
   * stay this hub's.
   */
  share(rules: SharedRules, siteId: () => number | null): void {
    this.#shared = { rules, siteId };
  }

  /** Whether a rule for this camera, null for all, is edited together with other hubs. */
  isShared(siteId: number, deviceId: string | null): boolean {
    return this.#sharedFor(siteId, deviceId) !== null;
  }

  /**
   * Inside a job: switches a rule off because nobody answers for it any more. This hub's gates stop at once; an estate is
   * offered the change until it takes it. Answers whether other gates follow later.
   */
  end(siteId: number, id: number, actor: string): { readonly isPending: boolean } {
    const { deviceId } = this.update(siteId, id, { enabled: false }, actor);
    return { isPending: this.#sharedFor(siteId, deviceId)?.isReached === false };
  }

  /** All rules of a household, by id. */
  list(siteId: number): Rule[] {
    return this.#siblings.tables.rules.list(siteId).map(toRule);
  }

  /** One rule. @throws Problem plate_rule_not_found. */
  get(siteId: number, id: number): Rule {
    return toRule(this.#find(siteId, id));
  }

  /**
   * Puts a plate on a list.
   * @throws Problem invalid_plate, invalid_body (validFrom not before validTo), unknown_device, limit_reached,
   *   plate_already_listed (with `ruleId`).
   * @param more.author its master, if that is not the actor: a pass that an owner gives
   */
  async create(
    siteId: number,
    input: NewRule,
    actor: string,
    { author = authorOf(actor), askAgain = ASKED }: { readonly author?: RuleAuthor; readonly askAgain?: AskAgain } = {},
  ): Promise<Rule> {
    const { database } = this.#base;
    const shared = this.#sharedFor(siteId, input.deviceId ?? null);
    if (shared === null)
      return database.write(() => {
        askAgain();
        return this.insert(siteId, input, actor, author);
      });
    await database.write(askAgain);
    const draft = this.#draft(siteId, input);
    this.#checkRoom(draft, this.#room(siteId, actor));
    const id = await shared.create(draft, author.master);
    return database.write(() => {
      this.#auditCreated(draft, id, actor);
      return toRule(this.#find(siteId, id));
    });
  }

  /** As {@link create}, inside a job. */
  insert(siteId: number, input: NewRule, actor: string, author = authorOf(actor)): Rule {
    return this.#insert(this.#draft(siteId, input), actor, author);
  }

  /** @throws Problem plate_rule_not_found, invalid_body. */
  async edit(siteId: number, id: number, edit: RuleEdit, actor: string, askAgain = ASKED): Promise<Rule> {
    const { database } = this.#base;
    const shared = this.#sharedFor(siteId, this.#find(siteId, id).deviceId);
    if (shared !== null) await database.write(askAgain);
    // as it is now: while the storage was asked, somebody may have switched it off
    const row = this.#find(siteId, id);
    const next = edited(row, edit);
    if (isDeepStrictEqual(next, row)) return toRule(row);
    const pass = this.#siblings.tables.rules.passOf(id);
    if (shared !== null) this.#checkRevival(row, next, actor);
    const isStored = shared !== null && (await shared.update(next, authorOf(actor).master));
    return database.write(() => {
      if (isStored) return this.#auditEdited({ row, next, pass }, actor);
      askAgain();
      return this.update(siteId, id, edit, actor);
    });
  }

  /** As {@link edit}, inside a job. */
  update(siteId: number, id: number, edit: RuleEdit, actor: string): Rule {
    const row = this.#find(siteId, id);
    const next = edited(row, edit);
    // an edit that changes nothing takes the rule from nobody
    if (isDeepStrictEqual(next, row)) return toRule(row);
    this.#checkRevival(row, next, actor);
    const pass = this.#siblings.tables.rules.passOf(id);
    this.#siblings.tables.rules.update(next, authorOf(actor));
    return this.#auditEdited({ row, next, pass }, actor);
  }

  /** Takes a rule off its list. @throws Problem plate_rule_not_found. */
  async remove(siteId: number, id: number, actor: string, askAgain = ASKED): Promise<void> {
    const { database, clock } = this.#base;
    const { tables } = this.#siblings;
    const row = this.#find(siteId, id);
    const shared = this.#sharedFor(siteId, row.deviceId);
    const author = authorOf(actor);
    if (shared !== null) await database.write(askAgain);
    const isGone = shared !== null && (await shared.remove(id, author.master));
    await database.write(() => {
      if (!isGone) askAgain();
      if (!isGone) tables.rules.remove(this.#find(siteId, id), author);
      this.#siblings.access.recordAudit({
        siteId,
        actor,
        action: "plate_rule.removed",
        target: row.formatted,
        detail: { id, kind: row.kind },
        at: clock.now(),
      });
    });
  }

  /** Rules in a form that {@link import} takes, on this hub or another. */
  export(siteId: number): Required<NewRule>[] {
    return this.list(siteId).map(({ plate, kind, label, deviceId, validFrom, validTo, windows, enabled, earns }) => ({
      plate,
      kind,
      label,
      deviceId,
      validFrom,
      validTo,
      windows,
      enabled,
      earns,
    }));
  }

  /**
   * Adds what can be added, some lines at a time, each time in one transaction; what cannot is named with its place in
   * the list and the reason. If the right to it ends on the way, or the storage, what was added stays and the others are
   * refused. A rehearsal (`isRehearsal`) decides the same by reading alone, and its rules have the id 0; other hubs
   * have no say in it. Of each household one list is gone through at a time; others wait.
   * @param more.from who asks, by all their sessions: the actor unless given
   * @throws Problem rate_limited where several lists of the same person wait already; what `askAgain` throws, and
   *   storage_full, before anything was added
   */
  import(
    siteId: number,
    rules: readonly NewRule[],
    actor: string,
    {
      askAgain = ASKED,
      isRehearsal = false,
      from = actor,
    }: { readonly askAgain?: AskAgain; readonly isRehearsal?: boolean; readonly from?: string } = {},
  ): Promise<ImportedRules<Rule>> {
    return this.#turns.run(siteId, from, () => {
      if (isRehearsal) return importRules(rules, this.#rehearsing(siteId, actor, askAgain));
      const isShared = this.#sharedFor(siteId, null) !== null;
      return importRules(
        rules,
        isShared ? this.#offering(siteId, actor, askAgain) : this.#adding(siteId, actor, askAgain),
      );
    });
  }

  #rehearsing(siteId: number, actor: string, askAgain: AskAgain): ImportWay<NewRule, Rule> {
    const { master } = authorOf(actor);
    return {
      linesAtOnce: LINES_AT_ONCE,
      changes: false,
      take: async (lines, batch) => {
        askAgain();
        const room = roomAfter(this.#room(siteId, actor), batch.size);
        return this.#takeEach(siteId, { lines, batch, room }, (draft) => toRule({ id: 0, ...draft, hits: 0, master }));
      },
    };
  }

  #adding(siteId: number, actor: string, askAgain: AskAgain): ImportWay<NewRule, Rule> {
    return {
      linesAtOnce: LINES_AT_ONCE,
      changes: true,
      take: (lines, batch) =>
        this.#base.database.write(() => {
          askAgain();
          const room = this.#room(siteId, actor);
          return this.#takeEach(siteId, { lines, batch, room }, (draft) => this.#put(draft, actor, authorOf(actor)));
        }),
    };
  }

  /** Other hubs are asked about each. */
  #offering(siteId: number, actor: string, askAgain: AskAgain): ImportWay<NewRule, Rule> {
    return {
      linesAtOnce: 1,
      changes: true,
      take: async ([line], batch) => {
        if (line === undefined) return [];
        try {
          batch.check(this.#draft(siteId, line));
          return [await this.create(siteId, line, actor, { askAgain })];
        } catch (error) {
          return [refusalOf(error)];
        }
      },
    };
  }

  /** Decides about each line; `put` gets those that can be added. `room`: as it is before them. */
  #takeEach(
    siteId: number,
    { lines, batch, room }: { readonly lines: readonly NewRule[]; readonly batch: ImportBatch; readonly room: Room },
    put: (draft: RuleDraft) => Rule,
  ): (Rule | Problem)[] {
    const together = batch.copy();
    return lines.map((line) => {
      try {
        const draft = this.#draft(siteId, line);
        together.check(draft);
        this.#checkRoom(draft, roomAfter(room, together.size - batch.size));
        const rule = put(draft);
        together.add(rule);
        return rule;
      } catch (error) {
        return refusalOf(error);
      }
    });
  }

  #sharedFor(siteId: number, deviceId: string | null): SharedRules | null {
    return deviceId === null && this.#shared !== null && this.#shared.siteId() === siteId ? this.#shared.rules : null;
  }

  #draft(siteId: number, input: NewRule): RuleDraft {
    const plate = plateOf(input.plate, this.#siblings.countries, "/plate");
    const deviceId = input.deviceId ?? null;
    if (deviceId !== null && !this.#siblings.cameras.isCamera(siteId, deviceId)) throw unknownDevice("/deviceId");
    const [validFrom, validTo] = [input.validFrom ?? null, input.validTo ?? null];
    checkWindow(validFrom, validTo);
    return {
      siteId,
      ...plate,
      kind: input.kind ?? "allow",
      label: checkedLabel(input.label ?? ""),
      deviceId,
      validFrom,
      validTo,
      windows: windowsText(input.windows),
      enabled: input.enabled === false ? 0 : 1,
      earns: input.earns ?? null,
      createdAt: this.#base.clock.now(),
    };
  }

  #insert(draft: RuleDraft, actor: string, author: RuleAuthor): Rule {
    this.#checkRoom(draft, this.#room(draft.siteId, actor));
    return this.#put(draft, actor, author);
  }

  #put(draft: RuleDraft, actor: string, author: RuleAuthor): Rule {
    const id = this.#siblings.tables.rules.insert(draft, author);
    this.#auditCreated(draft, id, actor);
    return toRule({ id, ...draft, hits: 0, master: author.master });
  }

  #room(siteId: number, actor: string): Room {
    const { access, tables } = this.#siblings;
    const sharer = access.grants.sharerBehind(actor);
    return {
      held: tables.rules.count(siteId),
      ended: tables.rules.ended(siteId, this.#base.clock.certain()),
      own: sharer === null ? null : tables.rules.ofIssuer(sharer, siteId),
    };
  }

  #checkRoom(draft: RuleDraft, room: Room): void {
    const standing = this.#siblings.tables.rules.standing(draft.siteId, draft.plate, draft.deviceId);
    if (standing !== null) throw alreadyListed(draft.formatted, standing.kind, { ruleId: standing.id });
    refuseUnlessRoom(room);
  }

  /** An edit by which a rule that has ended counts among the others again needs room for it. */
  #checkRevival(row: PlateRuleRow, next: PlateRuleRow, actor: string): void {
    const now = this.#base.clock.certain();
    const hasEnded = ({ validTo }: PlateRuleRow): boolean => validTo !== null && validTo <= now;
    if (!hasEnded(row) || hasEnded(next)) return;
    const { held, ended, own } = this.#room(row.siteId, actor);
    refuseUnlessRoom({ held: held - 1, ended: ended - 1, own: own === null ? null : own - 1 });
  }

  #auditCreated({ siteId, formatted, kind, deviceId, createdAt: at }: RuleDraft, id: number, actor: string): void {
    this.#siblings.access.recordAudit({
      siteId,
      actor,
      action: "plate_rule.created",
      target: formatted,
      detail: { id, kind, deviceId },
      at,
    });
  }

  /** `pass`: whose rule it was, and is no more. Who widens a rule answers for it; else who gave the pass still does. */
  #auditEdited(
    { row, next, pass }: { readonly row: PlateRuleRow; readonly next: PlateRuleRow; readonly pass: number | null },
    actor: string,
  ): Rule {
    const { access } = this.#siblings;
    const { siteId, id, kind, formatted: target } = next;
    const widened = widens(row, next);
    const detail = {
      id,
      kind,
      enabled: next.enabled === 1,
      ...(next.earns === null ? {} : { earns: next.earns }),
      ...(widened ? { widened } : {}),
    };
    if (pass !== null) access.grants.inherits("plate_rule", String(id), { kind: "guest_pass", id: String(pass) });
    access.recordAudit({
      siteId,
      actor,
      action: "plate_rule.edited",
      target,
      detail,
      at: this.#base.clock.now(),
    });
    return toRule(next);
  }

  #find(siteId: number, id: number): PlateRuleRow {
    const row = this.#siblings.tables.rules.find(siteId, id);
    if (row === null) throw new Problem("plate_rule_not_found", "There is no such plate rule.");
    return row;
  }
}

/** Rules that have ended take no room from others. Who is no owner takes no more than they leave for everybody else. */
function refuseUnlessRoom({ held, ended, own }: Room): void {
  const left = MAX_RULES - (held - ended);
  const leftOfAll = 2 * MAX_RULES - held;
  if (left <= 0) throw new Problem("limit_reached", { code: "refusal.most.plateRules", limit: MAX_RULES });
  if (leftOfAll <= 0) throw new Problem("limit_reached", { code: "refusal.most.plateRulesEnded", limit: MAX_RULES });
  if (own !== null && own >= Math.min(left, leftOfAll))
    throw new Problem("limit_reached", { code: "refusal.most.plateRulesOwn", limit: own });
}

/** The room that is left once `more` rules were added. */
function roomAfter({ held, ended, own }: Room, more: number): Room {
  return { held: held + more, ended, own: own === null ? null : own + more };
}

/** @throws Problem invalid_body */
function edited(row: PlateRuleRow, edit: RuleEdit): PlateRuleRow {
  const next: PlateRuleRow = {
    ...row,
    kind: edit.kind ?? row.kind,
    label: edit.label === undefined ? row.label : checkedLabel(edit.label),
    validFrom: edit.validFrom === undefined ? row.validFrom : edit.validFrom,
    validTo: edit.validTo === undefined ? row.validTo : edit.validTo,
    windows: edit.windows === undefined ? row.windows : windowsText(edit.windows),
    enabled: edit.enabled === undefined ? row.enabled : edit.enabled ? 1 : 0,
    earns: edit.earns === undefined ? row.earns : edit.earns,
  };
  checkWindow(next.validFrom, next.validTo);
  return next;
}

/** The plate that a caller means, the way camera reads carry it. @throws Problem invalid_plate, naming `field`. */
export function plateOf(
  text: string,
  countries: Countries,
  field: string,
): { readonly plate: string; readonly formatted: string } {
  const { plate, formatted } = typedPlate(text, countries);
  if (plate !== null && formatted !== null) return { plate, formatted };
  const message = "The text cannot be a number plate.";
  throw new Problem("invalid_plate", message, { details: [{ field, code: "invalid_plate", message }] });
}

function checkWindow(validFrom: number | null, validTo: number | null): void {
  if (validFrom === null || validTo === null || validFrom < validTo) return;
  const message = "validFrom must lie before validTo.";
  throw new Problem("invalid_body", message, { details: [{ field: "/validTo", code: "before_start", message }] });
}

function checkedLabel(label: string): string {
  const trimmed = label.trim();
  if ([...trimmed].length <= MAX_LABEL) return trimmed;
  const message = `The label is longer than ${MAX_LABEL} characters.`;
  throw new Problem("invalid_body", message, {
    details: [{ field: "/label", code: "too_long", message, values: { limit: MAX_LABEL } }],
  });
}

function toRule({ siteId: _household, createdAt: _created, master: _master, ...row }: PlateRuleRow): Rule {
  return { ...row, windows: storedWindows(row.windows), enabled: row.enabled === 1 };
}
