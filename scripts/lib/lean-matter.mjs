// @ts-check
/**
 * For bundles with matter.js in them: a plugin of rolldown. Of each of its seventy clusters the library works out, as it
 * is loaded, what the cluster's datatypes are called: a quarter of the start of a process with Matter. Nearly all of
 * them are never asked for one, so here they do it when they are.
 */

/** The module that does it, and its last step. */
const MODULE = /@matter\/types\/dist\/esm\/cluster\/ClusterType\.js$/;
const AT_ONCE = "  installDatatypeGetters(model, lazy);\n}\n";
const ONCE_ASKED = "  nameOnceAsked(ns, () => installDatatypeGetters(model, lazy));\n}\n";
/** At the module's end: the lines before stay where its source map has them. */
const HOW = `
/** Has a prototype that is asked only for what the cluster does not have, or not yet. */
function nameOnceAsked(ns, install) {
  let isThere = false;
  const ask = (name) => {
    if (isThere || name === "supportedFeatures") return false; // every behaviour asks for that, and most have none
    isThere = true;
    install();
    return Object.hasOwn(ns, name);
  };
  const later = { get: (_, name) => (ask(name) ? ns[name] : undefined), has: (_, name) => ask(name) };
  Object.setPrototypeOf(ns, new Proxy(Object.create(null), later));
}
`;

/** @returns {import("rolldown").Plugin} @throws Error when the library has changed there */
export function leanMatter() {
  return {
    name: "lean-matter",
    transform: {
      filter: { id: MODULE },
      handler(text) {
        const [before, after, ...more] = text.split(AT_ONCE);
        if (before === undefined || after === undefined || more.length > 0)
          throw new Error("matter.js names the datatypes of clusters in another way: scripts/lib/lean-matter.mjs");
        return { code: before + ONCE_ASKED + after + HOW, map: null };
      },
    },
  };
}
