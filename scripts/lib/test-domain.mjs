// @ts-check
/**
 * Loaded into a test file's process with --import: stands in for async-hook-domain, which tap asks for. An error that
 * nobody caught belongs to the test in whose course it was thrown, and that one fails. The original follows each promise
 * and timer with a hook of the engine; here the engine carries the domain along as it does any asynchronous context.
 * A file that is started by hand (`node test/…`) has tap as it is published.
 */
import { AsyncLocalStorage, executionAsyncResource } from "node:async_hooks";
import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";

if (isMainThread)
  registerHooks({
    resolve: (name, context, next) =>
      name === "async-hook-domain" ? { url: import.meta.url, shortCircuit: true } : next(name, context),
  });

/** @typedef {"uncaughtException" | "unhandledRejection"} Kind */

/** @type {AsyncLocalStorage<Domain>} */
const current = new AsyncLocalStorage();
/** Those that have not ended. */
/** @type {Set<Domain>} */
const open = new Set();
/** Of these, those whose test has begun, the latest last; tap makes the domains of tests that wait for their turn too. */
/** @type {Set<Domain>} */
const begun = new Set();

const thrown = (/** @type {unknown} */ error) => give(error, "uncaughtException");
const rejected = (/** @type {unknown} */ error) => give(error, "unhandledRejection");

/**
 * The domain of the context takes the error. Where that has ended while what it began is under way, and where the engine
 * tells no context (a throw in a socket's event), it is the test's that runs: the one begun last.
 * @param {unknown} error
 * @param {Kind} kind
 */
function give(error, kind) {
  const its = current.getStore();
  const domain = its !== undefined && open.has(its) ? its : ([...begun].at(-1) ?? [...open][0]);
  domain?.onerror(error, kind);
}

/** What tap uses of async-hook-domain. */
export class Domain {
  /** @param {(error: unknown, kind: Kind) => void} onerror */
  constructor(onerror) {
    this.onerror = onerror;
    if (open.size === 0) process.on("uncaughtException", thrown).on("unhandledRejection", rejected);
    open.add(this);
    // tap makes it in the scope of the test's own resource, and runs the test in that scope later
    const resource = executionAsyncResource();
    if (!("runInAsyncScope" in resource) || typeof resource.runInAsyncScope !== "function") return;
    const run = resource.runInAsyncScope.bind(resource);
    Object.assign(resource, {
      /** @param {(...words: unknown[]) => unknown} work @param {unknown} self @param {unknown[]} words */
      runInAsyncScope: (work, self, ...words) => {
        if (open.has(this)) begun.add(this);
        return run(() => current.run(this, () => work.apply(self, words)));
      },
    });
  }

  destroy() {
    begun.delete(this);
    if (!open.delete(this) || open.size > 0) return;
    process.off("uncaughtException", thrown).off("unhandledRejection", rejected);
  }
}
