/**
 * Owns the webhooks that owners have registered: address, events, secrets, on or off. Keeps them in memory, because
 * every change of a device has to look up who subscribed. Must never know a delivery's content or how it is sent.
 */
import { WEBHOOK_EVENTS, type WebhookEvent } from "../../core/api/webhook-events.ts";
import type { Base } from "../../core/base.ts";
import { fieldRefused, Problem, type ProblemDetail } from "../../core/kernel/problem.ts";
import { refusedUrl, type TargetPolicy } from "../../core/kernel/target.ts";
import type { Grants } from "../access/grants.ts";
import type { Feed } from "../feed/feed.ts";
import { isWebhookEvent } from "./events.ts";
import { newSecret } from "./sign.ts";
import { type WebhookRow, WebhookTable } from "./tables/webhook.ts";

/**
 * Why a webhook is off. `failures`: 20 attempts in a row failed; `owner`: by hand; `gone`: the receiver answered 410
 * (earlier versions disabled it for that).
 */
export type DisabledReason = "failures" | "gone" | "owner";

/** A webhook as its owner sees it; times are epoch ms. Never holds the secret. */
export interface Webhook {
  readonly id: number;
  readonly siteId: number;
  readonly env: "live" | "test";
  readonly url: string;
  readonly label: string;
  readonly events: readonly WebhookEvent[];
  /** Whether it is probed automatically once it was disabled by failures. */
  readonly probe: boolean;
  readonly active: boolean;
  readonly disabledAt: number | null;
  readonly disabledReason: DisabledReason | null;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** No attempt is made before this time. */
  readonly pausedUntil: number | null;
  /** After a rotation: until when the old secret signs too. */
  readonly rotatesUntil: number | null;
  /** Deliveries given up because too many or too old ones were kept, and the times of the first and the last. */
  readonly dropped: { readonly count: number; readonly from: number; readonly to: number } | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The members of a new webhook. */
export interface NewWebhook {
  readonly url: string;
  readonly events: readonly string[];
  readonly label?: string;
  readonly probe?: boolean;
}

/** The editable members of a webhook. */
export type WebhookEdit = Partial<NewWebhook>;

const MOST_PER_SITE = 20;
const LONGEST_LABEL = 80;
const ROTATION_MS = 86_400_000;
const SEAL_CONTEXT = "webhook secret";

/** The registered webhooks. */
export class WebhookRegistry {
  readonly name = "webhook registry";
  readonly #base: Base;
  readonly #feed: Feed;
  readonly #grants: Grants;
  readonly #targets: TargetPolicy;
  #table: WebhookTable | null = null;
  readonly #rows = new Map<number, WebhookRow>();
  readonly #views = new Map<number, Webhook>();

  constructor(
    base: Base,
    { feed, grants, targets }: { readonly feed: Feed; readonly grants: Grants; readonly targets: TargetPolicy },
  ) {
    this.#base = base;
    this.#feed = feed;
    this.#grants = grants;
    this.#targets = targets;
  }

  async start(): Promise<void> {
    this.#table = new WebhookTable(this.#base.database);
    for (const row of this.#table.all()) this.#remember(row);
  }

  /** Nothing to undo: deliveries under way may still be written down until the database closes. */
  async stop(): Promise<void> {}

  /** The table, for write jobs of the other files here. @throws Problem `unavailable` before start. */
  get table(): WebhookTable {
    if (this.#table === null) throw new Problem("unavailable", { code: "unavailable.webhooks" });
    return this.#table;
  }

  /** All webhooks of a household, oldest first. */
  list(siteId: number): Webhook[] {
    return [...this.#views.values()].filter((webhook) => webhook.siteId === siteId);
  }

  all(): Webhook[] {
    return [...this.#views.values()];
  }

  find(id: number): Webhook | null {
    return this.#views.get(id) ?? null;
  }

  /**
   * Whether deliveries are made: it is enabled, and the person who made it, or enabled it last, may still give others
   * what the household sees.
   */
  delivers(webhook: Webhook): boolean {
    return webhook.active && this.#grants.stands("webhook", String(webhook.id));
  }

  /** @throws Problem `not_found` when the household has no such webhook. */
  get(siteId: number, id: number): Webhook {
    const webhook = this.#views.get(id);
    if (webhook === undefined || webhook.siteId !== siteId) throw noSuchWebhook();
    return webhook;
  }

  /** Whether any webhook of the household takes the event. Disabled ones count: their deliveries are kept. */
  wanted(siteId: number, event: WebhookEvent): boolean {
    for (const webhook of this.#views.values())
      if (webhook.siteId === siteId && webhook.events.includes(event)) return true;
    return false;
  }

  /**
   * The secrets that sign now, newest first.
   * @throws Problem `unavailable` when the newest cannot be opened with the hub's key
   */
  secrets(id: number): string[] {
    const row = this.#rows.get(id);
    if (row === undefined) return [];
    const newest = this.#open(row.secret);
    const rotating = row.previousSecret !== null && (row.previousUntil ?? 0) > this.#base.clock.now();
    return rotating && row.previousSecret !== null && this.#opens(row.previousSecret)
      ? [newest, this.#open(row.previousSecret)]
      : [newest];
  }

  /** Webhooks that cannot be called, because the hub's key does not open their secrets. */
  unsigned(): number {
    return [...this.#rows.values()].filter(({ secret }) => !this.#opens(secret)).length;
  }

  #open(sealed: Buffer): string {
    return this.#base.hubKey.open(sealed, SEAL_CONTEXT).toString();
  }

  #opens(sealed: Buffer): boolean {
    try {
      this.#open(sealed);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Registers a webhook. The secret is in this answer and in no other.
   * @throws Problem `invalid_body` naming the field, `limit_reached` at 20 per household.
   */
  async create(siteId: number, input: NewWebhook): Promise<{ webhook: Webhook; secret: string }> {
    const { id, secret } = await this.#base.database.write(() => this.insert(siteId, input));
    return { webhook: this.get(siteId, id), secret };
  }

  /** As {@link create}, inside a job. */
  insert(siteId: number, input: NewWebhook): { readonly id: number; readonly secret: string } {
    const checked = this.#checked(input);
    if (this.table.all().filter((row) => row.siteId === siteId).length >= MOST_PER_SITE)
      throw new Problem("limit_reached", { code: "refusal.most.webhooks", limit: MOST_PER_SITE });
    const secret = newSecret();
    const sealed = this.#base.hubKey.seal(Buffer.from(secret), SEAL_CONTEXT);
    const id = this.table.insert({ ...checked, siteId, secret: sealed, createdAt: this.#base.clock.now() });
    this.refresh(id, siteId);
    return { id, secret };
  }

  /** Changes address, events, label or self-probe. @throws Problem `not_found`, `invalid_body`. */
  async edit(siteId: number, id: number, edit: WebhookEdit): Promise<Webhook> {
    await this.#base.database.write(() => this.update(siteId, id, edit));
    return this.get(siteId, id);
  }

  /**
   * As {@link edit}, inside a job. Returns what it newly delivers, and to whom: `moved` to another address, `widened`
   * by these events.
   */
  update(
    siteId: number,
    id: number,
    edit: WebhookEdit,
  ): { readonly url: string; readonly moved: boolean; readonly widened: readonly string[] } {
    this.get(siteId, id);
    const row = this.table.byId(id); // another job of the same group may have changed it already
    if (row === null) throw noSuchWebhook();
    const { url, events, label, probe } = viewOf(row);
    const checked = this.#checked({ url, events, label, probe, ...edit });
    this.table.update({ id, ...checked, updatedAt: this.#base.clock.now() });
    this.refresh(id, siteId);
    const now = JSON.parse(checked.events) as WebhookEvent[]; // just written
    return { url: checked.url, moved: checked.url !== url, widened: now.filter((event) => !events.includes(event)) };
  }

  /** Removes a webhook with its deliveries and its log. @throws Problem `not_found`. */
  async remove(siteId: number, id: number): Promise<void> {
    await this.#base.database.write(() => this.drop(siteId, id));
  }

  /** As {@link remove}, inside a job; returns its address. */
  drop(siteId: number, id: number): string {
    const { url } = this.get(siteId, id);
    this.table.remove(id);
    this.refresh(id, siteId);
    return url;
  }

  /** Gives the webhook a new secret; the old one signs too for 24 hours. @throws Problem `not_found` */
  async rotate(siteId: number, id: number): Promise<{ webhook: Webhook; secret: string }> {
    const { secret } = await this.#base.database.write(() => this.turn(siteId, id));
    return { webhook: this.get(siteId, id), secret };
  }

  /** As {@link rotate}, inside a job. */
  turn(siteId: number, id: number): { readonly url: string; readonly secret: string } {
    this.get(siteId, id);
    const row = this.table.byId(id);
    if (row === null) throw noSuchWebhook();
    const secret = newSecret();
    const updatedAt = this.#base.clock.now();
    this.table.setSecret({
      id,
      secret: this.#base.hubKey.seal(Buffer.from(secret), SEAL_CONTEXT),
      previousSecret: row.secret,
      previousUntil: updatedAt + ROTATION_MS,
      updatedAt,
    });
    this.refresh(id, siteId);
    return { url: row.url, secret };
  }

  /** Disables a webhook by hand. Its deliveries are kept as for one that failed. @throws Problem `not_found` */
  async disable(siteId: number, id: number): Promise<Webhook> {
    await this.#base.database.write(() => this.switchOff(siteId, id));
    return this.get(siteId, id);
  }

  /** As {@link disable}, inside a job; returns its address. */
  switchOff(siteId: number, id: number): string {
    const { url } = this.get(siteId, id);
    this.writeActive(id, false, "owner");
    return url;
  }

  /** Inside a write job: enables or disables a webhook, with its feed item, and announces it once committed. */
  writeActive(id: number, active: boolean, reason: DisabledReason | null): void {
    const webhook = this.table.byId(id); // another job of the same group may have switched it already
    if (webhook === null || (webhook.active === 1) === active) return;
    const now = this.#base.clock.now();
    this.table.setActive({
      id,
      active: active ? 1 : 0,
      disabledAt: active ? null : now,
      disabledReason: active ? null : reason,
    });
    this.#feed.record({
      siteId: webhook.siteId,
      kind: active ? "webhook.enabled" : "webhook.disabled",
      deviceId: null,
      text: {
        code: active ? "webhook.enabled" : `webhook.disabled_${reason ?? "owner"}`,
        name: nameOf(webhook),
      },
      at: now,
    });
    this.refresh(id, webhook.siteId);
  }

  /** Inside a write job: takes an event out of a webhook, which is switched off with its last one. */
  narrow(id: number, event: string): void {
    const row = this.table.byId(id);
    if (row === null) return;
    const events = viewOf(row).events.filter((one) => one !== event);
    if (events.length === 0) this.writeActive(id, false, "owner");
    else {
      const { url, label, probe } = row;
      const updatedAt = this.#base.clock.now();
      this.table.update({ id, url, label, probe, events: JSON.stringify(events), updatedAt });
      this.refresh(id, row.siteId);
    }
  }

  /** Inside a write job: takes the row over once it is committed, and announces the change. */
  refresh(id: number, siteId: number): void {
    const { database, bus } = this.#base;
    database.committed(() => {
      const row = this.table.byId(id);
      const before = this.#views.get(id);
      if (row === null) {
        this.#rows.delete(id);
        this.#views.delete(id);
      } else this.#remember(row);
      const isVisibleChange =
        row === null ||
        before?.active !== (row.active === 1) ||
        before.probe !== (row.probe === 1) ||
        before.url !== row.url;
      if (isVisibleChange) bus.announce("webhook.changed", { siteId, webhookId: id, active: row?.active === 1 });
    });
  }

  #checked(input: NewWebhook): { url: string; events: string; label: string; probe: number } {
    const details: ProblemDetail[] = [];
    const url = input.url.trim();
    const refused = refusedUrl(url, this.#targets);
    if (refused !== null) details.push(fieldRefused("/url", "refused", { code: "refusal.address", why: refused }));
    const events = [...new Set(input.events)];
    if (events.length === 0)
      details.push({
        field: "/events",
        code: "too_few",
        message: "At least one event is needed.",
        values: { limit: 1 },
      });
    const unknown = events.find((event) => !isWebhookEvent(event));
    if (unknown !== undefined)
      details.push({
        ...fieldRefused("/events", "unknown", { code: "refusal.noEvent", name: unknown }),
        message: `There is no event '${unknown}'; there are ${WEBHOOK_EVENTS.join(", ")}.`,
      });
    const label = (input.label ?? "").trim();
    if ([...label].length > LONGEST_LABEL)
      details.push({
        field: "/label",
        code: "too_long",
        message: `At most ${LONGEST_LABEL} characters.`,
        values: { limit: LONGEST_LABEL },
      });
    if (details.length > 0)
      throw new Problem("invalid_body", details[0]?.message ?? "The webhook is not valid.", { details });
    return {
      url,
      events: JSON.stringify(WEBHOOK_EVENTS.filter((event) => events.includes(event))),
      label,
      probe: input.probe === false ? 0 : 1,
    };
  }

  #remember(row: WebhookRow): void {
    this.#rows.set(row.id, row);
    this.#views.set(row.id, viewOf(row));
  }
}

/** A webhook's label, or its receiver's host. */
export function nameOf({ label, url }: Pick<Webhook, "label" | "url">): string {
  return label === "" ? new URL(url).host : label;
}

function noSuchWebhook(): Problem {
  return new Problem("not_found", "There is no such webhook.");
}

function viewOf(row: WebhookRow): Webhook {
  return {
    id: row.id,
    siteId: row.siteId,
    env: row.env,
    url: row.url,
    label: row.label,
    events: JSON.parse(row.events) as WebhookEvent[], // written by #checked
    probe: row.probe === 1,
    active: row.active === 1,
    disabledAt: row.disabledAt,
    disabledReason: row.disabledReason,
    failures: row.failures,
    pausedUntil: row.pausedUntil,
    rotatesUntil: row.previousSecret === null ? null : row.previousUntil,
    dropped: row.dropped === 0 ? null : { count: row.dropped, from: row.droppedFrom ?? 0, to: row.droppedTo ?? 0 },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
