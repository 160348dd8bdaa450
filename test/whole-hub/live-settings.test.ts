/**
 * Settings that need no restart apply from the moment of their change. A part that copies one when it is built keeps
 * the old value, while the console reports the new one as in force.
 */
import { join } from "node:path";
import t, { type Test } from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { openTls } from "../../src/core/platform/tls.ts";
import { loadSettings } from "../../src/core/settings/load.ts";
import { type Settings, settingFields } from "../../src/core/settings/schema.ts";
import { SettingsStore } from "../../src/core/settings/store.ts";
import { Hub } from "../../src/hub.ts";
import { CHEAP_COST } from "../support/cheap-cost.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { faultLogger } from "../support/fault-logger.ts";
import { testEnvironment } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const LIVE = new Set(settingFields().flatMap(({ key, restart }) => (restart ? [] : [key])));
/** Settings that the start itself uses immediately. Nothing may keep the value. */
const READ_AT_START: Readonly<Record<string, string>> = {
  "matter.enabled": "whether the process for Matter is started now; its supervisor asks again with each change",
};

/** Settings that record which of them are read. */
class WatchedStore extends SettingsStore {
  readonly read = new Set<string>();

  override get current(): Settings {
    const { read } = this;
    const groups = Object.entries(super.current).map(([group, values]) => [
      group,
      new Proxy(
        { ...values },
        {
          get(leaves, name) {
            read.add(`${group}.${String(name)}`);
            return Reflect.get(leaves, name);
          },
        },
      ),
    ]);
    return Object.fromEntries(groups) as Settings;
  }

  /** Live settings read since the last call. */
  takeRead(): string[] {
    const keys = [...this.read].filter((key) => LIVE.has(key)).sort();
    this.read.clear();
    return keys;
  }
}

async function openWatched(t: Test, more: Record<string, string> = {}): Promise<{ hub: Hub; store: WatchedStore }> {
  const dataFolder = testFolder(t);
  const env = { ...testEnvironment(dataFolder), ...more };
  const store = new WatchedStore({
    env,
    argv: [],
    file: join(dataFolder, "gatehouse.json"),
    loaded: loadSettings({ env, argv: [], fileText: null }),
  });
  const tls = await openTls(store.current, dataFolder, { nowMs: systemClock.now() });
  store.takeRead();
  const hub = await Hub.open({
    settings: store,
    clock: systemClock,
    tls,
    logger: faultLogger,
    projectFolder: PROJECT_ROOT,
    dataFolder,
    version: "0.0.0",
    builtAt: 0,
    passwordCost: CHEAP_COST,
    prepares: false,
  });
  return { hub, store };
}

t.test("no part of a hub with everything switched on reads a live setting when it is built", async (t) => {
  const { store } = await openWatched(t, {
    GATEHOUSE_RECOGNITION: "true",
    GATEHOUSE_MATTER: "true",
    GATEHOUSE_OUTSIDE_BROKER_URL: "mqtt://127.0.0.1:9",
    GATEHOUSE_SNTP: "true",
    GATEHOUSE_METRICS: "true",
  });
  t.same(store.takeRead(), []);
});

t.test("the start reads only those live settings that it uses immediately", async (t) => {
  const { hub, store } = await openWatched(t, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => hub.stop());
  store.takeRead();
  await hub.start();
  t.same(store.takeRead(), Object.keys(READ_AT_START).sort());
});

t.test("the retention of samples and of the webhooks' log follows a change at once", async (t) => {
  const { hub, call } = await startConsoleHub(t);
  const days = () =>
    Object.fromEntries(hub.system.history.ages.states().map(({ setting, keepDays }) => [setting, keepDays]));
  t.match(days(), { "telemetry.rawDays": 35, "telemetry.hourlyDays": 1_095 });
  const settings = { "telemetry.rawDays": 20, "telemetry.hourlyDays": 400, "webhooks.logDays": 3 };
  const answer = await call("PATCH", "/api/settings", { settings });
  t.equal(answer.status, 200);
  t.match(days(), { "telemetry.rawDays": 20, "telemetry.hourlyDays": 400 });
});
