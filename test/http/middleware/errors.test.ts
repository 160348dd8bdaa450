import t from "tap";
import { defineRoute } from "../../../src/core/api/route.ts";
import { bindOpen } from "../../../src/core/http/exchange.ts";
import { errorBody, statusOf } from "../../../src/core/http/middleware/errors.ts";
import { Problem } from "../../../src/core/kernel/problem.ts";
import { send } from "../../support/api-client.ts";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const route = (path: string) =>
  defineRoute({
    method: "GET",
    path,
    operationId: path,
    tag: "t",
    summary: "",
    access: { kind: "public" },
    responses: { 200: { description: "" } },
    problems: [],
  });

t.test("an unknown error, or a code outside the contract, is 500 and reveals nothing", async (t) => {
  const routes = [
    bindOpen(route("/api/broken"), () => {
      throw new TypeError("SELECT * FROM secret");
    }),
    bindOpen(route("/api/unlisted"), async () => {
      throw new Problem("database_newer", "The database secret is newer.");
    }),
  ];
  const hub = await ApiHub.open(testFolder(t), { routes });
  t.teardown(() => hub.close());
  for (const path of ["/api/broken", "/api/unlisted"]) {
    const { status, body, bytes } = await send(hub.server.port, "GET", path);
    t.hasStrict({ status, ...body.error }, { status: 500, code: "internal", details: [] }, path);
    t.notMatch(bytes.toString(), /secret|TypeError|at /, path);
  }
});

t.test("a problem keeps its fields, details and headers; none of them can replace the code", async (t) => {
  const problem = new Problem("rate_limited", "Wait.", {
    fields: { retryAfterSeconds: 3, code: "fake" },
    details: [{ field: "/a", code: "b", message: "c" }],
  });
  t.same(errorBody(problem, "r"), {
    error: {
      retryAfterSeconds: 3,
      code: "rate_limited",
      message: "Wait.",
      requestId: "r",
      details: [{ field: "/a", code: "b", message: "c" }],
    },
  });
  t.equal(statusOf("rate_limited"), 429);
  t.equal(statusOf("toString"), 500);
});
