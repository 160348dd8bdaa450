import { settingGroups } from "./schema.ts";

/** Whether the words of a command line ask what can be said there. */
export function asksForHelp(words: readonly string[]): boolean {
  return words.some((word) => word === "--help" || word === "-h");
}

/** What can be said when the hub is started: every setting with its default and meaning, in English. */
export function startHelp(): string {
  const groups = settingGroups().map(({ name, fields }) =>
    [
      "",
      name.en,
      ...fields.flatMap(({ key, default: byDefault, description, choices }) => [
        `  --${key} ${choices?.join(" | ") ?? shown(byDefault)}`,
        `      ${description}${choices === null ? "" : ` Default: ${shown(byDefault)}.`}`,
      ]),
    ].join("\n"),
  );
  return [
    "Gatehouse: a hub for the home that also keeps the gate.",
    "",
    "npm start [-- --demo] [-- --<setting> <value> …]",
    "  --demo      adds a simulated household, to look around",
    "  --help      shows this",
    "",
    "Then open http://localhost:8080 in a browser. Data goes to ./data (GATEHOUSE_DATA). Ctrl-C stops the hub.",
    "Every setting is also in System, Settings of the console, and has an environment variable (docs/settings.md).",
    ...groups,
  ].join("\n");
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join(",") || "…";
  return value === "" ? "…" : String(value);
}
