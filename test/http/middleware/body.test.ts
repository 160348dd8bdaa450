import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import t from "tap";
import { parseJsonObject, readBody } from "../../../src/core/http/middleware/body.ts";
import { BodyRoom } from "../../../src/core/http/middleware/body-room.ts";
import type { Problem } from "../../../src/core/kernel/problem.ts";
import { ApiHub } from "../../support/api-hub.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { testFolder } from "../../support/test-folder.ts";

const code = (text: string | Buffer): string => {
  try {
    parseJsonObject(Buffer.from(text));
    return "fine";
  } catch (error) {
    return (error as Problem).code; // parseJsonObject throws problems only
  }
};

t.test("only a JSON object in strict UTF-8 is accepted", async (t) => {
  t.equal(code('{"a":[1,{"b":null}]}'), "fine");
  for (const text of ["[]", "1", '"a"', "null", ""]) t.equal(code(text), "invalid_body", text);
  for (const text of ["{", "{'a':1}", '{"a":1,}', "undefined", "\ufeff{}", '{"a":1}x'])
    t.equal(code(text), "invalid_json", text);
  t.equal(code(Buffer.from([0x7b, 0x7d, 0xc0, 0xaf])), "invalid_json");
});

t.test("nesting counts brackets outside strings only", async (t) => {
  const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  t.equal(code(deep(16)), "fine");
  t.equal(code(deep(17)), "invalid_json");
  t.equal(code(JSON.stringify({ a: "[".repeat(500), b: '\\"[[[[[[[[[[[[[[[[[[[[[' })), "fine");
  t.equal(code(`{"a":${"[".repeat(100_000)}`), "invalid_json", "refused before it is parsed");
});

t.test("__proto__ is refused in any spelling and at any depth", async (t) => {
  for (const text of [
    '{"__proto__":1}',
    '{"a":{"b":[{"__proto__":{}}]}}',
    '{"\\u005F_proto__":1}',
    '{"__proto\\u005f_":1}',
  ])
    t.equal(code(text), "invalid_body", text);
  t.equal(code('{"a":"__proto__","proto":"\\u00e9"}'), "fine");
});

t.test("the parsed body keeps the text as it was sent", async (t) => {
  const text = ' { "a" : 1.0 }\n';
  t.same(parseJsonObject(Buffer.from(text)), { value: { a: 1 }, text });
});

t.test("bodies in several pieces, compressed, too long, or without a length", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const key = await hub.key();
  await hub.device("plug");
  const json = { "Content-Type": "application/json" };
  const send = (headers: Record<string, string>, body: string) =>
    hub.api.patch("/v1/devices/plug", { key, body, headers: { ...json, ...headers } });
  t.equal((await send({ "Transfer-Encoding": "chunked" }, '{"favorite":true}')).status, 200);
  t.equal(
    (await send({ "Transfer-Encoding": "chunked" }, `{"name":"${"x".repeat(70_000)}"}`)).body.error.code,
    "body_too_large",
  );
  t.equal((await send({ "Content-Encoding": "gzip" }, "{}")).body.error.code, "unsupported_media_type");
  t.equal((await send({ "Content-Encoding": "identity" }, '{"favorite":true}')).status, 200);
  for (const type of ["application/json; charset=utf-8", 'application/json;charset="UTF-8"', "Application/JSON"])
    t.equal((await send({ "Content-Type": type }, '{"favorite":true}')).status, 200, type);
  for (const type of ["application/json; charset=iso-8859-1", "application/merge-patch+json", "text/json"])
    t.equal((await send({ "Content-Type": type }, "{}")).status, 415, type);
  t.equal((await hub.api.patch("/v1/devices/plug", { key })).body.error.code, "invalid_body", "no body, no media type");
  t.equal(
    (await hub.api.patch("/v1/devices/plug", { key, body: '{"favorite":true}' })).status,
    415,
    "a body without a media type",
  );
});

t.test("a client that breaks off in the middle of its body affects no other", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const key = await hub.key();
  await new Promise<void>((resolve) => {
    const socket = connect(hub.server.port, "127.0.0.1", () => {
      const head = `POST /v1/plate-rules HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"plate"`;
      socket.write(head, () => socket.destroy());
    });
    socket.on("close", () => resolve());
  });
  t.equal((await hub.api.get("/v1/plate-rules", { key })).body.rules.length, 0);
});

t.test("a body in any chunks is whole, in one buffer that ends with the request", async (t) => {
  const room = new BodyRoom(new FakeClock());
  const seen: { bytes: Buffer; size: number; memory: number }[] = [];
  const server = createServer((incoming, response) => {
    void readBody(incoming, 2_000_000, { room, sender: { name: "a", isKnown: true } }).then(({ bytes, release }) => {
      seen.push({ bytes: Buffer.from(bytes), size: bytes.length, memory: bytes.buffer.byteLength });
      release();
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  for (const size of [0, 1, 70_000, 1_500_000])
    for (const isDeclared of [true, false]) {
      const body = Buffer.from(Array.from({ length: size }, (_, at) => (at * 31) % 251));
      const headers = isDeclared ? { "Content-Length": size } : { "Transfer-Encoding": "chunked" };
      const outgoing = request({ port, host: "127.0.0.1", method: "POST", headers });
      const answered = new Promise((resolve) => outgoing.on("response", (answer) => resolve(answer.resume())));
      for (let at = 0, piece = 1; at < size; at += piece, piece = (piece * 7) % 90_001)
        if (!outgoing.write(body.subarray(at, at + piece)))
          await new Promise((resolve) => outgoing.once("drain", resolve));
      outgoing.end();
      await answered;
      const last = seen.at(-1);
      t.ok(last?.bytes.equals(body), `${size} bytes`);
      if (size === 1_500_000) t.ok((last?.memory ?? 0) <= 2_000_000, "with hardly more than it needs");
    }
  t.equal(room.bytes, 0);
});
