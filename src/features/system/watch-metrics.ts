import { X509Certificate } from "node:crypto";
import type { Base } from "../../core/base.ts";
import type { Health } from "../../core/health/health.ts";
import { diskSpace } from "../../core/platform/disk.ts";
import type { HubTls } from "../../core/platform/tls.ts";
import { BackupTable } from "../backups/tables/backup.ts";
import type { PendingDeliveries } from "../webhooks/deliveries.ts";
import type { MetricSource } from "./metrics.ts";
import type { HubParts } from "./parts.ts";

/**
 * The figures on which the alert rules of docs/monitoring are based. No label has more values than the hub has parts.
 */
export function watchMetrics(
  base: Base,
  hub: HubParts,
  { health, tls, version }: { readonly health: () => Health; readonly tls: HubTls | null; readonly version: string },
): MetricSource[] {
  const { webhooks, devices, plates, trust, access } = hub;
  const backups = new BackupTable(base.database);
  const household = () => {
    const site = access.accounts.sites().find(({ env }) => env === "live");
    return site === undefined ? [] : devices.registry.list(site.id);
  };
  const ends = certificateEnds(tls);
  const byWebhook = (figure: (pending: PendingDeliveries) => number) =>
    Object.fromEntries(webhooks.deliveries.pending().map((pending) => [String(pending.webhookId), figure(pending)]));
  return [
    { name: "info", help: "Always 1; says which version runs.", label: "version", readAll: () => ({ [version]: 1 }) },
    {
      name: "health_level",
      help: "How each check of the health page is: 0 ok, 1 degraded, 2 failed.",
      label: "check",
      readAll: () => Object.fromEntries(health().checks.map(({ code, level }) => [code, LEVELS[level]])),
    },
    {
      name: "disk_free_bytes",
      help: "Free bytes of the data folder's file system.",
      read: () => diskSpace(base.dataFolder).freeBytes,
    },
    {
      name: "disk_size_bytes",
      help: "Size of the data folder's file system.",
      read: () => diskSpace(base.dataFolder).totalBytes,
    },
    {
      name: "backup_last_success_timestamp_seconds",
      help: "When the newest backup without a problem was made; NaN: there is none.",
      read: () => seconds(backups.list().find(({ problem }) => problem === null)?.at),
    },
    { name: "devices", help: "Devices of the household.", read: () => household().length },
    {
      name: "devices_offline",
      help: "Devices of the household that have been heard of and are away.",
      read: () => household().filter(isAway).length,
    },
    {
      name: "gate_commands_failed_total",
      help: "Gate commands that were not accepted for delivery.",
      kind: "counter",
      read: () => plates.gate.figures.gateCommandsFailed,
    },
    {
      name: "clock_known",
      help: "1 while the hub knows what time it is, else 0.",
      read: () => (trust.state() === "unknown" ? 0 : 1),
    },
    {
      name: "webhooks_disabled",
      help: "Webhooks of the household that are off because their receivers failed.",
      read: () =>
        webhooks.registry
          .all()
          .filter(({ env, active, disabledReason }) => env === "live" && !active && disabledReason !== "owner").length,
    },
    {
      name: "webhook_pending",
      help: "Deliveries that a webhook of the household has not been able to make yet, by its id.",
      label: "webhook",
      readAll: () => byWebhook(({ count }) => count),
    },
    {
      name: "webhook_pending_since_timestamp_seconds",
      help: "When the oldest pending delivery of a webhook was enqueued, by its id.",
      label: "webhook",
      readAll: () => byWebhook(({ since }) => Math.round(since / 1_000)),
    },
    {
      name: "certificate_expiry_timestamp_seconds",
      help: "When a certificate ends: the one that is served, and the hub's own authority.",
      label: "certificate",
      readAll: ends,
    },
  ];
}

const LEVELS: Record<Health["status"], number> = { ok: 0, degraded: 1, failed: 2 };

function isAway({ online, lastSeen }: { readonly online: boolean; readonly lastSeen: number | null }): boolean {
  return !online && lastSeen !== null;
}

function seconds(epochMs: number | undefined): number | null {
  return epochMs === undefined ? null : Math.round(epochMs / 1_000);
}

/** A certificate is parsed once, until another is served. */
function certificateEnds(tls: HubTls | null): () => Record<string, number> {
  let read = { cert: "", ends: 0 };
  return () => {
    if (tls === null) return {};
    const { cert } = tls.server;
    if (cert !== read.cert) read = { cert, ends: Date.parse(new X509Certificate(cert).validTo) / 1_000 };
    return {
      server: read.ends,
      ...(tls.authority === null ? {} : { authority: Math.round(tls.authority.notAfter / 1_000) }),
    };
  };
}
