import { createHash } from "node:crypto";
import t from "tap";
import { prose } from "../../src/core/http/html.ts";
import { ApiHub } from "../support/api-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { status, headers, bytes } = await hub.api.get("/v1/docs");
const html = bytes.toString("utf8");

t.test("the page shows every operation, scope and error code", async (t) => {
  t.equal(status, 200);
  t.match(headers["content-type"], /text\/html/);
  const { body: document } = await hub.api.get("/v1/openapi.json");
  for (const [path, place] of Object.entries(
    document.paths as Record<string, Record<string, { operationId: string }>>,
  )) {
    for (const { operationId } of Object.values(place))
      t.ok(html.includes(`id="${operationId}"`), `${operationId} ${path}`);
  }
  for (const text of ["devices:control", "plate_already_listed", "X-Service-Signature", "Idempotency-Key", "curl "])
    t.ok(html.includes(text), text);
});

t.test("it needs no network and runs no script: the policy allows only its own stylesheet", async (t) => {
  t.notMatch(html, /<script|<link|<img|@import|url\(|src=/i);
  t.notMatch(html, / style="| on\w+="/i);
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  t.equal(
    headers["content-security-policy"],
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
});

t.test("links inside the page lead somewhere", async (t) => {
  for (const [, id = ""] of html.matchAll(/href="#([^"]+)"/g)) if (!html.includes(`id="${id}"`)) t.fail(`#${id}`);
});

t.test("text is escaped", async (t) => {
  t.equal(prose("a <b> `c&d`"), "<p>a &lt;b&gt; <code>c&amp;d</code></p>");
});
