import assert from "node:assert";
import { createRequire } from "node:module";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { DEFAULT_LIMITS } from "../../src/core/mqtt/limits.ts";
import { Persistence } from "../../src/core/mqtt/persistence.ts";
import { openDatabase } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

/** The part of node:test's context that the suite uses. */
interface SuiteContext {
  readonly assert: Record<"ok" | "equal" | "notEqual" | "deepEqual", (...values: unknown[]) => void>;
  plan(count: number): void;
  diagnostic(text: string): void;
}

interface SuiteOptions {
  readonly test: (name: string, body: (context: SuiteContext) => Promise<void>) => void;
  readonly persistence: () => Promise<Persistence>;
  readonly testAsync: true;
}

/** The suite that every persistence of Aedes has to pass, as its authors wrote it; plain CommonJS without types. */
const suite = createRequire(import.meta.url)("aedes-persistence/abstract.js") as (options: SuiteOptions) => void;

const database = await openDatabase(testFolder(t));
t.teardown(() => database.stop());

async function persistence(): Promise<Persistence> {
  for (const table of ["retained", "subscription", "queue", "incoming", "will"])
    database.raw.exec(`DELETE FROM mqtt_${table}`);
  return new Persistence({
    database,
    limits: DEFAULT_LIMITS,
    writeDelayMs: 1,
    clockTrusted: () => true,
    rights: {
      subscribable: () => true,
      subscriptionsOf: () => DEFAULT_LIMITS.subscriptionsPerSession,
      receivable: () => true,
    },
    topics: { isNative: () => true },
    commands: { acknowledged: () => {} },
    clock: systemClock,
    logger: silentLogger,
  });
}

suite({
  persistence,
  testAsync: true,
  test: (name, body) => {
    void t.test(name, async (t) => {
      let planned: number | null = null;
      let asserted = 0;
      const counted = (check: (...values: never[]) => void) => {
        return (...values: unknown[]) => {
          asserted += 1;
          check(...(values as never[])); // node:assert's own functions, with their own types
        };
      };
      await body({
        // node:test's `t.assert` is node:assert with its loose comparisons
        assert: {
          ok: counted(assert.ok),
          equal: counted(assert.equal),
          notEqual: counted(assert.notEqual),
          deepEqual: counted(assert.deepEqual),
        },
        plan: (count) => {
          planned = count;
        },
        diagnostic: () => {},
      });
      t.ok(planned === null || planned === asserted, `${asserted} assertions hold`);
    });
  },
});
