import { analyse } from "../domain/plates/analyse.js";
import type { Countries } from "../domain/plates/countries.js";
import type { RuleKind, RuleWindow } from "../domain/plates/decide.js";
import type { Clock } from "../kernel/clock.js";
import { Problem } from "../kernel/problem.js";
import type { Database } from "../storage/database.js";
import type { PlateRuleRow } from "../storage/tables/plate-rule.js";
import { unknownDevice } from "./camera-settings.js";
import type { RecordAudit } from "./ports.js";
import { storedWindows, windowsText } from "./rule-windows.js";
import type { GateTables } from "./tables.js";

/** A plate rule (contract §2); times are epoch milliseconds. */
export interface Rule {
  readonly id: number;
  readonly plate: string;
  readonly formatted: string;
  readonly kind: RuleKind;
  readonly label: string;
  readonly deviceId: string | null;
  readonly validFrom: number | null;
  readonly validTo: number | null;
  /** Empty: at all times. */
  readonly windows: readonly RuleWindow[];
  readonly enabled: boolean;
  readonly hits: number;
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
}

/** What may change; absent members stay. */
export type RuleEdit = Partial<Pick<Rule, "kind" | "label" | "validFrom" | "validTo" | "windows" | "enabled">>;

/** What {@link PlateRules} needs. */
export interface PlateRulesOptions {
  readonly database: Database;
  readonly tables: GateTables;
  readonly isCamera: (siteId: number, deviceId: string) => boolean;
  readonly recordAudit: RecordAudit;
  readonly countries: Countries;
  readonly clock: Clock;
}

/** Most rules of one household. */
const MAX_RULES = 5_000;
const MAX_LABEL = 80;

/** The allow, deny and watch list. */
export class PlateRules {
  readonly #options: PlateRulesOptions;

  constructor(options: PlateRulesOptions) {
    this.#options = options;
  }

  /** All rules of a household, by id. */
  list(siteId: number): Rule[] {
    return this.#options.tables.rules.list(siteId).map(toRule);
  }

  /**
   * Puts a plate on a list.
   * @throws Problem invalid_plate, invalid_body (validFrom not before validTo), unknown_device, limit_reached, plate_already_listed (with `ruleId`).
   */
  async create(siteId: number, input: NewRule, actor: string): Promise<Rule> {
    return this.#options.database.write(() => this.insert(siteId, input, actor));
  }

  /** As {@link create}, inside a job. */
  insert(siteId: number, input: NewRule, actor: string): Rule {
    return this.#insert(this.#draft(siteId, input), actor);
  }

  /** @throws Problem plate_rule_not_found, invalid_body. */
  async edit(siteId: number, id: number, edit: RuleEdit, actor: string): Promise<Rule> {
    return this.#options.database.write(() => this.update(siteId, id, edit, actor));
  }

  /** As {@link edit}, inside a job. */
  update(siteId: number, id: number, edit: RuleEdit, actor: string): Rule {
    const { tables, recordAudit, clock } = this.#options;
    const row = this.#find(siteId, id);
    const next: PlateRuleRow = {
      ...row,
      kind: edit.kind ?? row.kind,
      label: edit.label === undefined ? row.label : checkedLabel(edit.label),
      validFrom: edit.validFrom === undefined ? row.validFrom : edit.validFrom,
      validTo: edit.validTo === undefined ? row.validTo : edit.validTo,
      windows: edit.windows === undefined ? row.windows : windowsText(edit.windows),
      enabled: edit.enabled === undefined ? row.enabled : edit.enabled ? 1 : 0,
    };
    checkWindow(next.validFrom, next.validTo);
    tables.rules.update(next);
    recordAudit({
      siteId,
      actor,
      action: "plate_rule.edited",
      target: row.formatted,
      detail: { id, kind: next.kind, enabled: next.enabled === 1 },
      at: clock.now(),
    });
    return toRule(next);
  }

  /** Takes a rule off its list. @throws Problem plate_rule_not_found. */
  async remove(siteId: number, id: number, actor: string): Promise<void> {
    const { database, tables, recordAudit, clock } = this.#options;
    await database.write(() => {
      const row = this.#find(siteId, id);
      tables.rules.remove(row.id);
      recordAudit({ siteId, actor, action: "plate_rule.removed", target: row.formatted, detail: { id, kind: row.kind }, at: clock.now() });
    });
  }

  /** Rules in a form that {@link import} takes, on this hub or another. */
  export(siteId: number): Required<NewRule>[] {
    return this.list(siteId).map(({ plate, kind, label, deviceId, validFrom, validTo, windows, enabled }) => ({
      plate,
      kind,
      label,
      deviceId,
      validFrom,
      validTo,
      windows,
      enabled,
    }));
  }

  /** Adds what can be added, in one transaction; what cannot is named with its place in the list and the reason. */
  import(
    siteId: number,
    rules: readonly NewRule[],
    actor: string,
  ): Promise<{ added: Rule[]; refused: { index: number; plate: string; code: string; message: string }[] }> {
    return this.#options.database.write(() => {
      const added: Rule[] = [];
      const refused: { index: number; plate: string; code: string; message: string }[] = [];
      for (const [index, rule] of rules.entries()) {
        try {
          added.push(this.#insert(this.#draft(siteId, rule), actor));
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          refused.push({ index, plate: rule.plate, code: error.code, message: error.message });
        }
      }
      return { added, refused };
    });
  }

  #draft(siteId: number, input: NewRule): Omit<PlateRuleRow, "id" | "hits"> {
    const plate = plateOf(input.plate, this.#options.countries, "/plate");
    const deviceId = input.deviceId ?? null;
    if (deviceId !== null && !this.#options.isCamera(siteId, deviceId)) throw unknownDevice("/deviceId");
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
      createdAt: this.#options.clock.now(),
    };
  }

  #insert(draft: Omit<PlateRuleRow, "id" | "hits">, actor: string): Rule {
    const { tables, recordAudit } = this.#options;
    const standing = tables.rules.standing(draft.siteId, draft.plate, draft.deviceId);
    if (standing !== null) {
      throw new Problem("plate_already_listed", `${draft.formatted} is already on the ${standing.kind} list for this scope.`, {
        fields: { ruleId: standing.id },
      });
    }
    if (tables.rules.count(draft.siteId) >= MAX_RULES) throw new Problem("limit_reached", `There can be at most ${MAX_RULES} plate rules.`);
    const id = tables.rules.insert(draft);
    recordAudit({
      siteId: draft.siteId,
      actor,
      action: "plate_rule.created",
      target: draft.formatted,
      detail: { id, kind: draft.kind, deviceId: draft.deviceId },
      at: draft.createdAt,
    });
    return toRule({ ...draft, id, hits: 0 });
  }

  #find(siteId: number, id: number): PlateRuleRow {
    const row = this.#options.tables.rules.find(siteId, id);
    if (row === null) throw new Problem("plate_rule_not_found", "There is no such plate rule.");
    return row;
  }
}

/** The plate that a caller means, the way camera reads carry it. @throws Problem invalid_plate, naming `field`. */
export function plateOf(text: string, countries: Countries, field: string): { readonly plate: string; readonly formatted: string } {
  const { plate, formatted } = analyse(text, countries);
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
  throw new Problem("invalid_body", message, { details: [{ field: "/label", code: "too_long", message, values: { limit: MAX_LABEL } }] });
}

function toRule(row: PlateRuleRow): Rule {
  return {
    id: row.id,
    plate: row.plate,
    formatted: row.formatted,
    kind: row.kind,
    label: row.label,
    deviceId: row.deviceId,
    validFrom: row.validFrom,
    validTo: row.validTo,
    windows: storedWindows(row.windows),
    enabled: row.enabled === 1,
    hits: row.hits,
  };
}
