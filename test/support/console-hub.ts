import type { Test } from "tap";
import { openTls } from "../../src/composition/tls.js";
import { Hub } from "../../src/hub.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { silentLogger } from "../../src/kernel/logger.js";
import type { LogRing } from "../../src/platform/log-ring.js";
import { openSettings, type SettingsStore } from "../../src/settings/store.js";
import { CHEAP_COST, GOOD_PASSWORD } from "./access.js";
import { ApiClient, type ApiDocument, type CallAnswer, send } from "./api-client.js";
import { PROJECT_ROOT } from "./database.js";

/** A whole hub in this process, on free ports, with a person's client of the session-only API. */
export interface ConsoleHub {
  readonly hub: Hub;
  readonly settings: SettingsStore;
  readonly dataFolder: string;
  readonly port: number;
  /** Every answer is held to /api/openapi.json. */
  readonly api: ApiClient;
  /** The owner's session as a Cookie header; empty on a hub that nobody owns. */
  readonly cookie: string;
  /** One call with the owner's cookie. */
  call(method: string, path: string, json?: unknown): Promise<CallAnswer>;
}

/** Starts a hub on an empty folder; it has an owner (`owner@example.org`, {@link GOOD_PASSWORD}) unless `claim` is false. `folder`: its data folder, where a test has several hubs. */
export async function startConsoleHub(
  t: Test,
  options: {
    readonly claim?: boolean;
    readonly folder?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly log?: LogRing;
    readonly clock?: Clock;
  } = {},
): Promise<ConsoleHub> {
  const dataFolder = options.folder ?? t.testdir();
  const env = {
    GATEHOUSE_DATA: dataFolder,
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_TLS: "off",
    GATEHOUSE_HTTPS_PORT: "0",
    GATEHOUSE_MQTTS_PORT: "0",
    GATEHOUSE_MDNS: "false",
    GATEHOUSE_SNTP: "false",
    GATEHOUSE_RECOGNITION: "false",
    GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "0",
    GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true",
    ...options.env,
  };
  const settings = openSettings({ env, argv: [] });
  const clock = options.clock ?? systemClock;
  const hub = new Hub({
    settings,
    clock,
    tls: await openTls(settings.current, dataFolder, clock.now()),
    logger: silentLogger,
    projectFolder: PROJECT_ROOT,
    dataFolder,
    version: "0.0.0",
    builtAt: 0,
    passwordCost: CHEAP_COST,
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  await hub.start();
  t.teardown(() => hub.stop());
  const { port } = hub.web.server;
  const document = (await send(port, "GET", "/api/openapi.json")).body as ApiDocument;
  const api = new ApiClient(port, document);
  let cookie = "";
  if (options.claim !== false) {
    const json = { code: hub.access.claim.code(), name: "Olga", email: "owner@example.org", password: GOOD_PASSWORD };
    cookie = cookieOf(await api.post("/api/claim", { json }));
  }
  const call = (method: string, path: string, json?: unknown): Promise<CallAnswer> =>
    api.call(method, path, { headers: { Cookie: cookie }, ...(json === undefined ? {} : { json }) });
  return { hub, settings, dataFolder, port, api, cookie, call };
}

/** The session cookie that an answer sets, as a Cookie header. */
export function cookieOf(answer: CallAnswer): string {
  return answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}
