import type { Test } from "tap";
import { type Clock, systemClock } from "../../src/core/kernel/clock.ts";
import type { LogRing } from "../../src/core/platform/log-ring.ts";
import { openTls } from "../../src/core/platform/tls.ts";
import { openSettings, type SettingsStore } from "../../src/core/settings/store.ts";
import { Hub } from "../../src/hub.ts";
import { GOOD_PASSWORD } from "./access.ts";
import { ApiClient, apiDocument, type CallAnswer } from "./api-client.ts";
import { CHEAP_COST } from "./cheap-cost.ts";
import { PROJECT_ROOT } from "./database.ts";
import { FakeClock } from "./fake-clock.ts";
import { faultLogger } from "./fault-logger.ts";
import { testEnvironment } from "./hub-process.ts";
import { moveIn } from "./owned-homes.ts";
import { testFolder } from "./test-folder.ts";

/** A whole hub in this process, on free ports, with a person's client of the session-only API. */
export interface ConsoleHub {
  readonly hub: Hub;
  readonly settings: SettingsStore;
  readonly dataFolder: string;
  readonly port: number;
  /** Every response is checked against /api/openapi.json. */
  readonly api: ApiClient;
  /** The owner's session as a Cookie header; empty on an unclaimed hub. */
  readonly cookie: string;
  /** One call with the owner's cookie. */
  call(method: string, path: string, json?: unknown): Promise<CallAnswer>;
}

/** What a test may set differently. */
interface ConsoleHubOptions {
  /**
   * `true`: it is claimed here and now; `false`: it is unclaimed. Otherwise, unless it brings a folder or a time of its
   * own, it starts in a copy of a home that was claimed before.
   */
  readonly claim?: boolean;
  /** Its data folder, for a test with several hubs. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: LogRing;
  readonly clock?: Clock;
  /** Prepares its first use, as a hub in a house does. */
  readonly prepares?: boolean;
}

/** Starts a hub; it has an owner (`owner@example.org`, {@link GOOD_PASSWORD}) unless `claim` is false. */
export async function startConsoleHub(t: Test, options: ConsoleHubOptions = {}): Promise<ConsoleHub> {
  const dataFolder = options.folder ?? testFolder(t);
  const { clock } = options;
  const isCopied =
    options.claim === undefined && options.folder === undefined && (clock === undefined || isAtUsualHour(clock));
  const owned = isCopied
    ? await moveIn(dataFolder, clock === undefined ? "console-now" : "console-then", (home) => claimedHome(home, clock))
    : null;
  const hub = await openHub(dataFolder, options);
  t.teardown(() => hub.hub.stop());
  const cookie = owned?.cookie ?? (options.claim === false ? "" : await claim(hub));
  const call = (method: string, path: string, json?: unknown): Promise<CallAnswer> =>
    hub.api.call(method, path, { headers: { Cookie: cookie }, ...(json === undefined ? {} : { json }) });
  // a restarted hub asks for a proof
  if (owned !== null) await call("POST", "/api/session/proof", { password: GOOD_PASSWORD });
  return { ...hub, dataFolder, cookie, call };
}

/** A clock that stands still at the time most tests use. */
function isAtUsualHour(clock: Clock): boolean {
  return clock instanceof FakeClock && clock.now() === new FakeClock().now();
}

/** A running hub before anyone has signed in. */
type OpenHub = Pick<ConsoleHub, "hub" | "settings" | "port" | "api">;

/** Claims a hub in an empty folder, and creates its test household. */
async function claimedHome(folder: string, clock: Clock | undefined): Promise<{ cookie: string }> {
  // the test's own clock stays where it is
  const open = await openHub(folder, clock === undefined ? {} : { clock: new FakeClock() });
  const cookie = await claim(open);
  await open.hub.sandbox.sandbox.settled();
  await open.hub.stop();
  return { cookie };
}

async function claim({ hub, api }: OpenHub): Promise<string> {
  const json = { code: hub.access.claim.code(), name: "Olga", email: "owner@example.org", password: GOOD_PASSWORD };
  return cookieOf(await api.post("/api/claim", { json }));
}

async function openHub(dataFolder: string, options: ConsoleHubOptions): Promise<OpenHub> {
  const env = {
    ...testEnvironment(dataFolder),
    GATEHOUSE_RECOGNITION: "false",
    GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true",
    ...options.env,
  };
  const settings = openSettings({ env, argv: [] });
  const clock = options.clock ?? systemClock;
  const hub = await Hub.open({
    settings,
    clock,
    tls: await openTls(settings.current, dataFolder, { nowMs: clock.now() }),
    logger: faultLogger,
    projectFolder: PROJECT_ROOT,
    dataFolder,
    version: "0.0.0",
    builtAt: 0,
    passwordCost: CHEAP_COST,
    prepares: options.prepares === true,
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  await hub.start();
  const { port } = hub.web.server;
  return { hub, settings, port, api: new ApiClient(port, await apiDocument(port, "/api/openapi.json")) };
}

/** The session cookie that a response sets, as a Cookie header. */
export function cookieOf(answer: CallAnswer): string {
  return answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}
