import { get, patch, post } from "../../../console/api.ts";

/**
 * Puts plates on a list, for all cameras. A plate that is on another list already changes lists and keeps its name.
 * @returns how many are on it now
 * @throws ApiError when the hub refuses
 */
export async function putOnList(
  plates: readonly string[],
  kind: "allow" | "deny" | "watch",
  label = "",
): Promise<number> {
  const { rules } = await get("/v1/plate-rules");
  const known = new Map(rules.filter((rule) => rule.deviceId === null).map((rule) => [rule.plate, rule]));
  const fresh: string[] = [];
  let count = 0;
  for (const plate of new Set(plates)) {
    const rule = known.get(plate);
    if (rule === undefined) fresh.push(plate);
    else {
      await patch("/api/plate-rules/{id}", { params: { id: rule.id }, body: { kind, enabled: true } });
      count += 1;
    }
  }
  if (fresh.length > 0) {
    const { added } = await post("/api/plate-rules/import", {
      body: { rules: fresh.map((plate) => ({ plate, kind, label })) },
    });
    count += added;
  }
  return count;
}
