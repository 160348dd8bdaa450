import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import t from "tap";
import { Type } from "typebox";
import type { Caller } from "../../src/core/api/caller.ts";
import { defineRoute } from "../../src/core/api/route.ts";
import { bind } from "../../src/core/http/exchange.ts";
import { OpenResponses } from "../../src/core/http/open-responses.ts";
import { ApiHub } from "../support/api-hub.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const BYTES = 64 * 1024 * 1024; // more than sockets hold
const CALLER: Caller = {
  method: "api_key",
  accountId: 1,
  householdId: 1,
  role: "owner",
  siteId: 1,
  env: "live",
  scopes: [],
  keyName: "k",
  actor: "api_key:1",
  origins: [],
};

t.test("a response ends when its caller loses the right to it, and not before", async (t) => {
  const clock = new FakeClock();
  const gone = new Set<string>();
  const open = new OpenResponses({ clock, authenticator: { stands: ({ actor }) => !gone.has(actor) } });
  const ended: string[] = [];
  open.bind(CALLER, () => ended.push("first"));
  const release = open.bind({ ...CALLER, actor: "api_key:2" }, () => ended.push("second"));
  open.recheck();
  t.same(ended, []);
  gone.add("api_key:1");
  open.recheck();
  open.recheck();
  t.same(ended, ["first"], "once");
  release();
  t.equal(open.size, 0);
  open.bind({ ...CALLER, actor: "api_key:3" }, () => ended.push("third"));
  gone.add("api_key:3");
  clock.advance(5_000);
  t.same(ended, ["first", "third"], "a credential that expires by itself is noticed soon");
  gone.add("api_key:2");
  open.recheck();
  t.notOk(ended.includes("second"), "responses that ended by themselves are forgotten");
  open.stop();
});

t.test("a download and a slowly read response break off when their key is revoked", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "large.bin");
  writeFileSync(file, randomBytes(BYTES));
  const route = (operationId: string) =>
    defineRoute({
      method: "GET",
      path: `/v1/${operationId}`,
      operationId,
      tag: "Test",
      summary: operationId,
      access: { kind: "scope", scope: "devices:read" },
      query: Type.Object({}),
      responses: { 200: { description: "Bytes.", contentType: "application/octet-stream" } },
      problems: [],
    });
  const hub = await ApiHub.open(folder, {
    routes: [
      bind(route("file"), () => ({ status: 200, file: { path: file, bytes: BYTES } })),
      bind(route("bytes"), () => ({
        status: 200,
        bytes: Buffer.alloc(BYTES),
        contentType: "application/octet-stream",
      })),
    ],
  });
  t.teardown(() => hub.close());
  for (const path of ["/v1/file", "/v1/bytes"]) {
    const key = await hub.key();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(
        { host: "127.0.0.1", port: hub.server.port, path, agent: false, headers: { authorization: `Bearer ${key}` } },
        resolve,
      )
        .on("error", reject)
        .end();
    });
    t.equal(response.statusCode, 200);
    const { accountId } = hub.home;
    const id = hub.access.keys.list(accountId).at(-1)?.id ?? 0;
    await hub.access.keys.edit(accountId, id, { name: "renamed" }, { accountId, actor: "cli" });
    await hub.access.keys.revoke(accountId, id, { accountId, actor: "cli" });
    let got = 0;
    const isWhole = await new Promise<boolean>((resolve) => {
      response.on("data", (chunk: Buffer) => (got += chunk.length));
      response.on("end", () => resolve(response.complete));
      response.on("error", () => resolve(false));
    });
    t.notOk(isWhole, path);
    t.ok(got < BYTES, `${path}: ${got} of ${BYTES}`);
  }
});
