/** What programs compare is compared as a whole, wherever it stands in a pattern. */
import t from "tap";

t.test("a code matches itself and no longer one; a message is told by a part of it", async (t) => {
  t.hasStrict({ code: "conflict" }, { code: "conflict" });
  t.notMatch({ code: "conflicting" }, { code: "conflict" });
  t.match({ code: "conflicting" }, { code: /^conflict/ });
  t.notMatch({ device: { id: "a1" } }, { device: { id: "a" } });
  t.match({ message: "in conflict" }, { message: "conflict" });
  t.match("in conflict", "conflict");
  const error = Object.assign(new Error("not valid"), { details: [{ field: "/labels", code: "too_long" }] });
  t.notMatch(error, { details: [{ field: "/label" }] });
  await t.rejects(Promise.reject(error), { message: "valid", details: [{ field: /^\/labels$/, code: /^too_long$/ }] });
});
