// @ts-check
/**
 * For bundles with matter.js in them: a plugin of rolldown. While loading, the library computes the names of the
 * datatypes of each of its seventy clusters: a quarter of the start of a process with Matter. Nearly all are never
 * used, so this makes the computation lazy.
 */

/** The module that computes them, and its last step. */
const MODULE = /@matter\/types\/dist\/esm\/cluster\/ClusterType\.js$/;
const AT_ONCE = "  installDatatypeGetters(model, lazy);\n}\n";
const ONCE_ASKED = "  nameOnceAsked(ns, () => installDatatypeGetters(model, lazy));\n}\n";
/** At the module's end, so that the lines before still match its source map. */
const HOW = `
/** Adds a prototype, which is consulted only for members that the cluster does not have (yet). */
function nameOnceAsked(ns, install) {
  let isThere = false;
  const ask = (name) => {
    if (isThere || name === "supportedFeatures") return false; // every behaviour reads that, and most have none
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
