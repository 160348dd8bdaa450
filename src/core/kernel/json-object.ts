/** An object of JSON. */
export type JsonObject = { [key: string]: unknown };

/** Whether a value of JSON is an object: no list, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
