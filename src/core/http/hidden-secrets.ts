/** Names of members and topic levels whose values must not be shown. */
const SECRET_NAME = /pass|pwd|secret|token|psk|api_?key|private|credential|^auth|^(user_?)?(pin|code)$/i;
/** A member of a JSON object, also of one that is cut off. Every part is bounded: the time is linear. */
const MEMBER = /"([^"\\]{1,64})"\s{0,8}:\s{0,8}("(?:[^"\\]|\\.)*"?|[^\s,}\]"]+)/g;
/** The same in a JSON text inside a JSON text. */
const INNER_MEMBER = /\\"([^"\\]{1,64})\\{1,8}"\s{0,8}:\s{0,8}(?:\\{1,8}"(?:(?!\\").){0,1024}|[^\s,}\]"\\]+)/g;
/** The beginning of an object or a list under a name. */
const NESTED = /"([^"\\]{1,64})"\s{0,8}:\s{0,8}[[{]/g;
/** `name=value`, as firmware's configurations have it. */
const ASSIGNMENT = /(^|[\s,;&?])([\w-]{1,64})=([^\s,;&]+)/g;
const ADDRESS = /:\/\/[^/\s:@"]{1,128}:[^/\s@"]{1,256}@/g;

/** What replaces a secret. */
export const HIDDEN = "•••";

/**
 * The text of a message with passwords, tokens and the like hidden, as far as their names reveal them; if the topic's
 * name does, the whole text is hidden.
 */
export function withoutSecrets(topic: string, text: string): string {
  if (text !== "" && SECRET_NAME.test(topic.slice(topic.lastIndexOf("/") + 1))) return HIDDEN;
  return withoutObjects(text)
    .replace(MEMBER, (whole, name: string, value: string) =>
      SECRET_NAME.test(name) && !/^[[{]/.test(value) ? `"${name}":"${HIDDEN}"` : whole,
    )
    .replace(INNER_MEMBER, (whole, name: string) => (SECRET_NAME.test(name) ? `\\"${name}\\":\\"${HIDDEN}` : whole))
    .replace(ASSIGNMENT, (whole, before: string, name: string) =>
      SECRET_NAME.test(name) ? `${before}${name}=${HIDDEN}` : whole,
    )
    .replace(ADDRESS, `://${HIDDEN}@`);
}

/**
 * Removes whole objects and lists under a secret name, whose end no pattern finds; a text that is not JSON stays as it
 * is.
 */
function withoutObjects(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  let isFound = false;
  try {
    const shown = JSON.stringify(JSON.parse(text), (name, value: unknown) => {
      if (typeof value !== "object" || value === null || !SECRET_NAME.test(name)) return value;
      isFound = true;
      return HIDDEN;
    });
    return isFound ? shown : text; // unchanged where nothing is hidden
  } catch {
    // Truncated: a secret object begins without an end.
    for (const { 1: name = "", index } of text.matchAll(NESTED))
      if (SECRET_NAME.test(name)) return `${text.slice(0, index)}"${name}":"${HIDDEN}"`;
    return text;
  }
}
