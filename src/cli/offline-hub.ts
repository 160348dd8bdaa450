/**
 * The operations of a hub that does not run, for the command line: the same parts are built, only those that hold data
 * are started, and the same routes are called with the same checks. Nothing listens, nothing is sent.
 */
import { mkdirSync } from "node:fs";
import { type Operation, operationOf } from "../core/http/operation.ts";
import { findRoute } from "../core/http/router.ts";
import { systemClock } from "../core/kernel/clock.ts";
import type { Logger } from "../core/kernel/logger.ts";
import { Problem } from "../core/kernel/problem.ts";
import { type Service, startInOrder } from "../core/kernel/service.ts";
import { noteBeginning } from "../core/platform/tls.ts";
import type { SettingsStore } from "../core/settings/store.ts";
import type { ScryptCost } from "../features/access/password.ts";
import { takeUpSettings } from "../features/provision/feature.ts";
import { Hub } from "../hub.ts";
import type { HubCalls } from "./control-socket.ts";

/** Builds a hub on its data folder (created if missing) and starts what holds data. @throws Problem `database_newer` */
export async function openOfflineHub(options: {
  readonly settings: SettingsStore;
  /** Absolute. */
  readonly dataFolder: string;
  readonly projectFolder: string;
  readonly version: string;
  readonly logger: Logger;
  /** For tests. */
  readonly passwordCost?: ScryptCost;
}): Promise<HubCalls> {
  mkdirSync(options.dataFolder, { recursive: true, mode: 0o700 });
  noteBeginning(options.settings.current, options.dataFolder);
  const hub = await Hub.open({ ...options, clock: systemClock, builtAt: 0 });
  const rules: Service = {
    name: "automations",
    start: async () => hub.automations.automations.load(),
    stop: async () => {},
  };
  const services: Service[] = [
    ...[hub.base.database, hub.access.revocations, hub.access.keys, hub.webhooks.registry, hub.webhooks.outbox],
    ...[hub.devices.registry, hub.bridge.clients, rules],
  ];
  await startInOrder(services, options.logger);
  hub.base.database.served();
  await takeUpSettings({ database: hub.base.database, access: hub.access }, options.settings, options.logger);
  return {
    running: false,
    call: (method, path, body) => callRoute(hub, method, path, body),
    close: async () => {
      for (const service of services.reverse()) await service.stop();
    },
  };
}

async function callRoute(hub: Hub, method: string, target: string, given: unknown): Promise<unknown> {
  const [path = "", search = ""] = target.split("?");
  const found = findRoute(hub.web.routes, method, path);
  if (found === null) throw new Problem("route_not_found", `There is no ${method} ${path}.`);
  const route = operationOf(found.route);
  const caller = hub.access.authenticator.boxCaller();
  const { kind } = route.spec.access;
  if (caller === null && kind !== "box" && kind !== "public")
    throw new Problem("conflict", "Nobody owns this hub yet; see 'gatehouse provision --help'.");
  const answer = await route.handle({
    params: route.params ? route.params.path(found.params, route.notFound) : {},
    query: route.query?.query(search).values ?? {},
    body: checked(route, given),
    bodyText: given === undefined ? "" : JSON.stringify(given),
    bytes: Buffer.alloc(0),
    caller,
    facts: { method, path, headers: {}, address: "local", host: "localhost", secure: false, box: true },
    requestId: "command-line",
    baseUrl: "http://localhost",
    search,
  });
  return answer.bytes ? JSON.parse(answer.bytes.toString()) : (answer.body ?? null);
}

function checked(route: Operation, body: unknown): unknown {
  const details = route.body?.check(body) ?? null;
  if (details === null) return body;
  const [first] = details;
  throw new Problem(
    "invalid_body",
    first ? `${first.field || "The document"} ${first.message}.` : "The document is not valid.",
    { details },
  );
}
