import t from "tap";
import { decodeNamedPosition, decodePosition, encodeCursor, nextLink, pageOf } from "../../src/core/http/cursor.ts";

t.test("a cursor decodes to the position it was made from", async (t) => {
  t.same(decodePosition(encodeCursor([1_772_366_400_000, 7])), { at: 1_772_366_400_000, id: 7 });
  t.same(decodeNamedPosition(encodeCursor([5, "MH12AB1234"])), { at: 5, name: "MH12AB1234" });
  t.equal(decodePosition(undefined), undefined);
  for (const bad of [
    "",
    "%%%",
    encodeCursor([1]),
    encodeCursor([1, "x"]),
    encodeCursor([1.5, 2]),
    encodeCursor([1, 2, 3]),
  ])
    t.throws(() => decodePosition(bad), { code: /^invalid_query$/ }, bad);
  t.throws(() => decodeNamedPosition(encodeCursor([1, 2])), { code: /^invalid_query$/ });
});

t.test("the link keeps the other parameters and replaces the cursor", async (t) => {
  const request = {
    baseUrl: "http://hub.local",
    search: "limit=5&cursor=old&plate=MH+12",
    facts: { path: "/v1/plates" },
  };
  t.equal(nextLink(request, "new"), '<http://hub.local/v1/plates?limit=5&plate=MH+12&cursor=new>; rel="next"');
  t.equal(
    nextLink({ ...request, search: 'x=<">' }, "new"),
    '<http://hub.local/v1/plates?x=%3C%22%3E&cursor=new>; rel="next"',
  );
});

t.test("a page has a last item only when more follow", async (t) => {
  t.same(pageOf([1, 2, 3], 3), { page: [1, 2, 3], last: null });
  t.same(pageOf([1, 2, 3, 4], 3), { page: [1, 2, 3], last: 3 });
});
