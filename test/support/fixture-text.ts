/**
 * A recorded fixture as text whose diff can be read: what fits into `longest` characters stands on one line, anything
 * longer on a line for each of its parts.
 */
export function fixtureText(value: unknown, longest = 2_000): string {
  return `${lined(value, longest, "", true)}\n`;
}

function lined(value: unknown, longest: number, indent: string, isWhole = false): string {
  const line = JSON.stringify(value);
  if (typeof value !== "object" || value === null || (line.length <= longest && !isWhole)) return line;
  const within = `${indent} `;
  const parts = Array.isArray(value)
    ? value.map((one) => lined(one, longest, within))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => `${JSON.stringify(name)}: ${lined(one, longest, within)}`);
  if (parts.length === 0) return line;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.map((part) => within + part).join(",\n")}\n${indent}${close}`;
}

/** A conversation as its file has it, a line for each step. */
export function conversationText({ steps, ...about }: { readonly steps: readonly object[] }): string {
  const head = Object.entries(about).map(([name, value]) => ` ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`);
  return `{\n${head.join("")} "steps": [\n${steps.map((step) => `  ${JSON.stringify(step)}`).join(",\n")}\n ]\n}\n`;
}
