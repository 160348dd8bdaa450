import t from "tap";
import { nameKey, plainText } from "../../src/core/kernel/plain-text.ts";
import { Problem } from "../../src/core/kernel/problem.ts";

function refusal(text: string, bounds: { min: number; max: number }) {
  try {
    return plainText(text, { field: "/name", ...bounds });
  } catch (error) {
    if (error instanceof Problem) return { message: error.message, ...error.details[0] };
    throw error;
  }
}

t.test("a text is trimmed, and its characters are counted as people count them", async (t) => {
  t.equal(plainText("  Hall ", { field: "/name", min: 1, max: 4 }), "Hall");
  t.equal(plainText("🏠🏠", { field: "/name", min: 2, max: 2 }), "🏠🏠");
  t.equal(plainText("", { field: "/name", min: 0, max: 4 }), "");
  t.match(refusal("Halls", { min: 1, max: 4 }), {
    field: /^\/name$/,
    code: /^too_long$/,
    message: "must have at most 4 characters",
    values: { limit: 4 },
  });
  t.match(refusal("  ", { min: 1, max: 4 }), {
    code: /^too_short$/,
    message: "must not be empty",
    values: { limit: 1 },
  });
  t.match(refusal("ab", { min: 3, max: 4 }), { code: /^too_short$/, message: "must have at least 3 characters" });
  t.match(refusal("a\u0007b", { min: 1, max: 4 }), { code: /^control_character$/, values: undefined });
});

t.test("names are compared ignoring case and Unicode composition", async (t) => {
  t.equal(nameKey("Küche"), nameKey("KU\u0308CHE"));
  t.not(nameKey("Kuche"), nameKey("Küche"));
});
