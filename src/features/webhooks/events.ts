import { WEBHOOK_EVENTS, type WebhookEvent } from "../../core/api/webhook-events.ts";
import { isoTime } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";

/** Whether `text` names an event. */
export function isWebhookEvent(text: string): text is WebhookEvent {
  return WEBHOOK_EVENTS.some((event) => event === text);
}

/** What happened, as features report it; `data` as in docs/spec/interface.md §30, `at` epoch ms. */
export interface WebhookReport {
  readonly siteId: number;
  readonly event: WebhookEvent;
  /** Null if it is about no device. */
  readonly deviceId: string | null;
  readonly data: object;
  /** The vehicles that it tells of, in the form of reads: it is deleted with them. */
  readonly plates?: readonly string[];
  readonly at: number;
}

/**
 * The body of a delivery, its keys in the order of docs/spec/interface.md §29. `test`: from the simulated household, or
 * sent by hand.
 */
export function deliveryBody(id: string, report: Omit<WebhookReport, "siteId" | "plates">, test: boolean): string {
  const data: JsonObject = test ? { ...report.data, test: true } : { ...report.data };
  return JSON.stringify({ id, event: report.event, deviceId: report.deviceId, data, at: isoTime(report.at) });
}
