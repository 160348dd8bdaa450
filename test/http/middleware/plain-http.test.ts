import t from "tap";
import type { RequestFacts } from "../../../src/core/http/exchange.ts";
import { answerInClear, strictTransport } from "../../../src/core/http/middleware/plain-http.ts";

const CLOSED = { isClosed: () => true, httpsPort: () => 443 };
const facts = (changes: Partial<RequestFacts> = {}): RequestFacts => ({
  method: "GET",
  path: "/",
  headers: {},
  address: "192.168.1.9",
  host: "gatehouse.local",
  secure: false,
  box: false,
  ...changes,
});

t.test("a page is redirected to https under its own host, with path and query", async (t) => {
  const target = (changes: Partial<RequestFacts>, search = "", port = 443): unknown =>
    answerInClear(facts(changes), search, { ...CLOSED, httpsPort: () => port })?.headers?.Location;
  t.equal(target({ path: "/gate" }, "a=1"), "https://gatehouse.local/gate?a=1", "no port if https has its default");
  t.equal(target({ host: "[fd00::2]:8080", path: "/x" }, "", 8443), "https://[fd00::2]:8443/x");
  t.equal(target({ path: "evil.example" }), "https://gatehouse.local/", "an invalid path is dropped");
  t.throws(() => target({ path: "/v1/devices" }), { code: /^https_required$/ });
  t.throws(() => target({ path: "/", method: "POST" }), { code: /^https_required$/ });
  t.equal(answerInClear(facts({ secure: true }), "", CLOSED), null);
  t.equal(
    answerInClear(facts({ box: true, path: "/api/claim", method: "POST" }), "", CLOSED),
    null,
    "the control socket is not a network",
  );
  t.equal(answerInClear(facts({ path: "/v1" }), "", { ...CLOSED, isClosed: () => false }), null);
});

t.test("HSTS is sent to names only, on port 443, while plain http is closed", async (t) => {
  const rule = (host: string, plain = CLOSED, secure = true): string | null =>
    strictTransport(facts({ host, secure }), plain);
  for (const host of ["gatehouse.local", "Hill-House.local", "hub.example.org"])
    t.equal(rule(host), "max-age=172800", host);
  for (const host of ["192.168.1.7", "[fd00::2]", "[fd00::2]:443", "localhost", "hub.localhost"])
    t.equal(rule(host), null, host);
  t.equal(
    rule("gatehouse.local:8443", { ...CLOSED, httpsPort: () => 8443 }),
    null,
    "the browser would keep 8080 and speak TLS to it",
  );
  t.equal(rule("gatehouse.local", { ...CLOSED, isClosed: () => false }), null);
  t.equal(rule("gatehouse.local", CLOSED, false), null, "never without TLS");
});
