/**
 * Passes for guests. A pass is an allow rule with an end, and a link that the host sends. The link opens nothing: it
 * shows how long the pass is valid and for which gate. If the host allows it, the guest can enter their plate through
 * it, a few times and never beyond the limits of the pass. In: what owners give and take back, and what a guest sends
 * by the link. It must not know how the link reaches the guest.
 */

import type { Base } from "../../core/base.ts";
import { bodyRefused, Problem } from "../../core/kernel/problem.ts";
import type { Countries } from "../../core/plates/countries.ts";
import { isInForce, type RuleWindow } from "../../core/plates/decide.ts";
import { authorOf, type RuleAuthor } from "../../core/plates/masters.ts";
import { storedWindows, windowsText } from "../../core/storage/stored-windows.ts";
import type { Detail } from "../../core/text/keys.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { Feed } from "../feed/feed.ts";
import type { CameraSettings } from "./camera-settings.ts";
import { GuestCalls } from "./guest-calls.ts";
import { hashOf, newToken } from "./link-token.ts";
import { ASKED, type NewRule, type PlateRules, plateOf } from "./plate-rules.ts";
import type { GuestPassRow } from "./tables/guest-pass.ts";
import type { PlateRuleRow } from "./tables/plate-rule.ts";
import type { GateTables } from "./tables.ts";
import { toDeciding } from "./vehicles.ts";

/** What a pass is made of. */
export interface NewPass {
  /** Whose it is. */
  readonly label: string;
  /** Null: the guest enters it through the link. */
  readonly plate: string | null;
  readonly deviceId: string | null;
  /** Epoch milliseconds. */
  readonly validFrom: number | null;
  readonly validTo: number;
  readonly windows: readonly RuleWindow[];
  /** Whether the guest may tell or correct the plate by the link. */
  readonly guestMayTellPlate: boolean;
}

/** A pass as the host sees it; times are epoch milliseconds. */
export interface PassEntry {
  readonly id: number;
  readonly ruleId: number | null;
  readonly label: string;
  readonly plate: string | null;
  readonly formatted: string | null;
  readonly deviceId: string | null;
  readonly validFrom: number | null;
  readonly validTo: number;
  readonly windows: readonly RuleWindow[];
  readonly triesLeft: number;
  readonly ended: boolean;
  readonly createdAt: number;
  readonly openedAt: number | null;
  /** When the plate was last seen since the pass was made; null: not yet. */
  readonly cameAt: number | null;
}

/** A pass as its guest sees it. */
export interface GuestView
  extends Pick<PassEntry, "label" | "formatted" | "validFrom" | "validTo" | "windows" | "triesLeft"> {
  readonly household: string;
  /** Names of the gates that it opens. */
  readonly gates: readonly string[];
  readonly timeZone: string;
  /** Whether the gate would open for the plate now. */
  readonly holdsNow: boolean;
}

/** Passes of a household that have not ended; as many that have are shown for a week. */
const MOST_PASSES = 200;
const LONGEST_MS = 366 * 86_400_000;
/**
 * How often a guest may tell a plate, refused ones too: enough for a slip or another car, too little to find out which
 * plates the household lists.
 */
const TRIES = 3;
/** An ended pass is shown to the host for a week, then deleted together with the rule that is still its own. */
const SHOWN_MS = 7 * 86_400_000;

interface Siblings {
  readonly tables: GateTables;
  readonly rules: PlateRules;
  readonly cameras: CameraSettings;
  readonly feed: Feed;
  readonly access: AccessFeature;
  readonly countries: Countries;
}

/** The passes of every household on the hub. */
export class GuestPasses {
  readonly #base: Base;
  readonly #siblings: Siblings;
  readonly #calls = new GuestCalls();

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** Passes of a household, the newest first. */
  list(siteId: number): PassEntry[] {
    return this.#siblings.tables.passes.list(siteId).map((row) => this.#entry(row));
  }

  /**
   * Creates a pass; `token` is the secret in its link, returned only here.
   * @throws Problem invalid_plate, invalid_body, unknown_device, limit_reached, plate_already_listed (with `ruleId`).
   */
  async create(
    siteId: number,
    input: NewPass,
    actor: string,
    askAgain = ASKED,
  ): Promise<{ pass: PassEntry; token: string }> {
    const { database, clock } = this.#base;
    const { tables, rules } = this.#siblings;
    const token = newToken();
    const { plate } = input;
    const check = (now: number): void => {
      checkBounds(input, now);
      this.#checkRoom(siteId, actor, now);
    };
    const isShared = plate !== null && rules.isShared(siteId, input.deviceId);
    if (isShared) check(clock.now());
    // other hubs have a say
    const shared = isShared
      ? await rules.create(siteId, passRule({ ...input, plate }), actor, { author: OF_A_PASS, askAgain })
      : null;
    const pass = await database.write(() => {
      askAgain();
      const now = clock.now();
      check(now);
      const ended = tables.passes.count(siteId) < 2 * MOST_PASSES ? null : tables.passes.endedFirst(siteId, now);
      if (ended !== null) this.#remove(ended);
      const made =
        plate === null ? null : (shared ?? rules.insert(siteId, passRule({ ...input, plate }), actor, OF_A_PASS));
      const id = tables.passes.insert({
        siteId,
        ruleId: made?.id ?? null,
        tokenHash: hashOf(token),
        label: input.label.trim(),
        deviceId: input.deviceId,
        validFrom: input.validFrom,
        validTo: input.validTo,
        windows: windowsText(input.windows),
        triesLeft: input.guestMayTellPlate ? TRIES : 0,
        createdAt: now,
        createdBy: actor,
        openedAt: null,
      });
      this.#siblings.access.recordAudit({
        siteId,
        actor,
        action: "guest_pass.created",
        target: input.label.trim(),
        detail: { id, validTo: input.validTo },
        at: now,
      });
      return this.#entry(this.#find(siteId, id));
    });
    return { pass, token };
  }

  /** Takes a pass back: its link goes at once, and its rule unless somebody has edited that. @throws Problem not_found. */
  async revoke(siteId: number, id: number, actor: string, askAgain = ASKED): Promise<void> {
    await this.#base.database.write(() => {
      askAgain();
      this.end(siteId, id, actor);
    });
  }

  /** As {@link revoke}, inside a job. @throws Problem not_found. */
  end(siteId: number, id: number, actor: string): void {
    const { clock } = this.#base;
    const row = this.#find(siteId, id);
    this.#remove(row);
    this.#siblings.access.recordAudit({
      siteId,
      actor,
      action: "guest_pass.revoked",
      target: row.label,
      detail: { id },
      at: clock.now(),
    });
  }

  /** A new link; the one before ends. @throws Problem not_found, conflict (it has ended). */
  async renewLink(siteId: number, id: number, actor: string, askAgain = ASKED): Promise<string> {
    const { database, clock } = this.#base;
    const { tables } = this.#siblings;
    const token = newToken();
    await database.write(() => {
      askAgain();
      const row = this.#find(siteId, id);
      if (this.#hasEnded(row)) throw new Problem("conflict", { code: "conflict.passEnded" });
      tables.passes.update({ ...row, tokenHash: hashOf(token), openedAt: null });
      this.#siblings.access.recordAudit({
        siteId,
        actor,
        action: "guest_pass.link_renewed",
        target: row.label,
        // such a link puts a plate on the list; any other only shows the pass
        detail: { id, ...(row.triesLeft > 0 ? { widened: true } : {}) },
        at: clock.now(),
      });
    });
    return token;
  }

  /**
   * What a guest is shown.
   * @throws Problem not_found: unknown, taken back or ended, which look the same to the guest; rate_limited.
   */
  async look(token: string, address: string): Promise<GuestView> {
    const { database, clock } = this.#base;
    const { tables } = this.#siblings;
    this.#limit(token, address);
    const row = this.#byToken(token);
    if (row.openedAt === null)
      await database.writeIfPossible(() => tables.passes.update({ ...this.#byToken(token), openedAt: clock.now() }));
    return this.#view(row);
  }

  /**
   * Takes the plate that the guest comes with. The host hears of it.
   * @throws Problem not_found, rate_limited; conflict where no try is left or the plate cannot be used; invalid_plate.
   */
  async tellPlate(token: string, plateText: string, address: string): Promise<GuestView> {
    const { database, clock } = this.#base;
    const { tables, countries } = this.#siblings;
    this.#limit(token, address);
    this.#byToken(token);
    const plate = plateOf(plateText, countries, "/plate");
    const taken = await database.write(() => {
      const row = this.#byToken(token);
      if (row.triesLeft === 0) throw new Problem("conflict", { code: "conflict.passPlateFixed" });
      // for whichever camera: what others than guests have set for a plate is not a guest's to get round
      const isFree = tables.rules
        .of(row.siteId, plate.plate)
        .every(({ id, master, deviceId }) => id === row.ruleId || (master === "guest" && deviceId !== row.deviceId));
      const next = { ...row, triesLeft: row.triesLeft - 1, ruleId: isFree ? this.#setPlate(row, plate) : row.ruleId };
      tables.passes.update(next); // a refused one counts too
      const kind = isFree ? "taken" : "refused";
      const at = clock.now();
      this.#siblings.access.recordAudit({
        siteId: row.siteId,
        actor: guest(row),
        action: "guest_pass.plate_told",
        target: row.label,
        detail: { kind },
        at,
      });
      const text = { code: "guest.plate", label: row.label, plate: plate.formatted, kind } as const;
      this.#siblings.feed.record({
        siteId: row.siteId,
        kind: "guest.plate",
        deviceId: null,
        text,
        plates: [plate.plate],
        aboutVehicles: true,
        at,
      });
      return isFree ? next : null;
    });
    if (taken === null) throw new Problem("conflict", { code: "conflict.passPlateRefused" });
    return this.#view(taken);
  }

  /** Removes passes that ended a week ago, with the rules that are still theirs; run hourly. Answers how many. */
  async sweep(): Promise<number> {
    const { database, clock } = this.#base;
    const { tables } = this.#siblings;
    const before = clock.certain() - SHOWN_MS;
    if (tables.passes.endedBefore(before).length === 0) return 0;
    return database.write(() => {
      const ended = tables.passes.endedBefore(before);
      for (const row of ended) this.#remove(row);
      return ended.length;
    });
  }

  /** Who is no owner takes no more passes than they leave for everybody else. */
  #checkRoom(siteId: number, actor: string, now: number): void {
    const { tables, access } = this.#siblings;
    const left = MOST_PASSES - tables.passes.going(siteId, now);
    if (left <= 0) throw new Problem("limit_reached", { code: "refusal.most.passes", limit: MOST_PASSES });
    const sharer = access.grants.sharerBehind(actor);
    const own = sharer === null ? 0 : tables.passes.goingOf(sharer, siteId, now);
    if (own >= left) throw new Problem("limit_reached", { code: "refusal.most.passesOwn", limit: own });
  }

  #limit(token: string, address: string): void {
    const { clock } = this.#base;
    const { tables } = this.#siblings;
    const hash = hashOf(token);
    this.#calls.count(tables.passes.byToken(hash) === null ? null : hash, address, clock.mono());
  }

  #setPlate(row: GuestPassRow, plate: { readonly plate: string; readonly formatted: string }): number {
    const { rules, tables } = this.#siblings;
    const rule = this.#ruleOf(row);
    if (rule !== null) {
      tables.rules.update({ ...rule, ...plate }, authorOf(guest(row)));
      return rule.id;
    }
    const { label, deviceId, validFrom, validTo } = row;
    const pass = {
      label,
      plate: plate.plate,
      deviceId,
      validFrom,
      validTo,
      windows: storedWindows(row.windows),
      guestMayTellPlate: true,
    };
    return rules.insert(row.siteId, passRule(pass), guest(row)).id;
  }

  /** Deletes a pass with the rule that is still its own; what somebody else has made of it stays. */
  #remove(row: GuestPassRow): void {
    const { tables } = this.#siblings;
    const rule = this.#ruleOf(row);
    if (rule !== null) tables.rules.remove(rule, authorOf(guest(row)));
    tables.passes.remove(row.id);
  }

  #find(siteId: number, id: number): GuestPassRow {
    const row = this.#siblings.tables.passes.find(siteId, id);
    if (row === null) throw new Problem("not_found", "There is no such guest pass.");
    return row;
  }

  #byToken(token: string): GuestPassRow {
    const row = this.#siblings.tables.passes.byToken(hashOf(token));
    if (row === null || this.#hasEnded(row) || !this.#siblings.access.grants.stands("guest_pass", String(row.id)))
      throw new Problem("not_found", "This pass does not exist, or it has ended.");
    return row;
  }

  /** Its time is over, or it has no rule and makes none: somebody has edited the one that it had. */
  #hasEnded({ validTo, ruleId, triesLeft }: GuestPassRow): boolean {
    return this.#base.clock.now() >= validTo || (ruleId === null && triesLeft === 0);
  }

  #ruleOf(row: GuestPassRow): PlateRuleRow | null {
    return row.ruleId === null ? null : this.#siblings.tables.rules.find(row.siteId, row.ruleId);
  }

  #entry(row: GuestPassRow): PassEntry {
    const rule = this.#ruleOf(row);
    return {
      id: row.id,
      ruleId: row.ruleId,
      label: row.label,
      plate: rule?.plate ?? null,
      formatted: rule?.formatted ?? null,
      deviceId: row.deviceId,
      validFrom: row.validFrom,
      validTo: row.validTo,
      windows: storedWindows(row.windows),
      triesLeft: row.triesLeft,
      ended: this.#hasEnded(row),
      createdAt: row.createdAt,
      openedAt: row.openedAt,
      cameAt: rule === null ? null : this.#seenSince(row, rule.plate),
    };
  }

  #seenSince({ siteId, createdAt }: GuestPassRow, plate: string): number | null {
    const at = this.#siblings.tables.vehicles.find(siteId, plate)?.lastSeen ?? 0;
    return at < createdAt ? null : at;
  }

  #view(row: GuestPassRow): GuestView {
    const { clock } = this.#base;
    const { label, formatted, validFrom, validTo, windows, triesLeft } = this.#entry(row);
    const { name: household, timeZone } = this.#siblings.access.accounts.site(row.siteId);
    const rule = this.#ruleOf(row);
    const holdsNow = rule !== null && isInForce(toDeciding(rule), { at: clock.now(), timeZone });
    return {
      household,
      gates: this.#siblings.cameras.gateNames(row.siteId, row.deviceId),
      label,
      formatted,
      validFrom,
      validTo,
      windows,
      timeZone,
      triesLeft,
      holdsNow,
    };
  }
}

/** The rule of a pass is the guest's, no matter who gave the pass, until somebody else edits it. */
const OF_A_PASS: RuleAuthor = { master: "guest", passId: null };

/** A guest's name in the audit list. */
function guest({ id }: GuestPassRow): string {
  return `guest_pass:${id}`;
}

/** What lets the guest's vehicle in. */
function passRule({
  label,
  plate,
  deviceId,
  validFrom,
  validTo,
  windows,
}: Omit<NewPass, "plate"> & { readonly plate: string }): NewRule {
  return { kind: "allow", label, plate, deviceId, validFrom, validTo, windows };
}

function checkBounds({ label, validFrom, validTo }: NewPass, now: number): void {
  const refuse = (field: string, words: Detail): never => {
    throw bodyRefused(field, "range", words);
  };
  if (label.trim() === "") refuse("/label", { code: "refusal.pass.noName" });
  if (validTo <= now) refuse("/validTo", { code: "refusal.pass.inPast" });
  if (validTo > now + LONGEST_MS) refuse("/validTo", { code: "refusal.pass.tooLong" });
  if (validFrom !== null && validFrom >= validTo) refuse("/validTo", { code: "refusal.pass.order" });
}
