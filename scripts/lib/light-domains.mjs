// @ts-check
/** Loaded into a test file's process with --import: tap's tests have the domains of test-domain.mjs. */
import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";

const DOMAINS = new URL("test-domain.mjs", import.meta.url).href;

// threads load this too
if (isMainThread) {
  const hooks = registerHooks({
    resolve: (name, context, next) => {
      if (name !== "async-hook-domain") return next(name, context);
      hooks.deregister(); // tap asks once
      return { url: DOMAINS, shortCircuit: true };
    },
  });
}
