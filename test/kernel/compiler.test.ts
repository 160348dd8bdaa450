import { cachedDataVersionTag } from "node:v8";
import t from "tap";
import { optimiseSooner } from "../../src/kernel/compiler.js";

t.test(
  "what was compiled counts again once optimising sooner has ended: the engine's own figures are known",
  async (t) => {
    const before = cachedDataVersionTag();
    optimiseSooner(true);
    const meanwhile = cachedDataVersionTag();
    optimiseSooner(false);
    t.not(meanwhile, before, "the engine knows both options");
    t.equal(cachedDataVersionTag(), before);
  },
);
