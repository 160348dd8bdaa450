import { cachedDataVersionTag, setFlagsFromString } from "node:v8";
import t from "tap";
import {
  garbageCollector,
  optimiseSooner,
  settleCompiler,
  settleHeap,
  underStartOptions,
} from "../../src/core/kernel/compiler.ts";

t.test(
  "compiled code counts again once earlier optimising has ended: the engine's own defaults are known",
  async (t) => {
    const before = cachedDataVersionTag();
    optimiseSooner(true);
    const meanwhile = cachedDataVersionTag();
    optimiseSooner(false);
    t.not(meanwhile, before, "the engine knows both options");
    t.equal(cachedDataVersionTag(), before);
  },
);

t.test("cached code is made under the options of the start, and the hub's own apply again afterwards", async (t) => {
  const before = cachedDataVersionTag();
  t.teardown(() => {
    optimiseSooner(false);
    setFlagsFromString("--maglev-escape-analysis");
    setFlagsFromString("--heap-growing-percent=0");
    setFlagsFromString("--allocation-site-pretenuring");
    setFlagsFromString("--no-expose-gc");
  });
  settleCompiler([]);
  settleHeap();
  optimiseSooner(true);
  const own = cachedDataVersionTag();
  t.not(own, before);
  garbageCollector();
  t.not(cachedDataVersionTag(), own);
  t.equal(
    underStartOptions([], () => cachedDataVersionTag()),
    before,
  );
  t.equal(cachedDataVersionTag(), own);
  t.throws(() => underStartOptions([], () => JSON.parse("{")));
  t.equal(cachedDataVersionTag(), own);
});
