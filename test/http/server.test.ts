import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { request as tlsRequest } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { Type } from "typebox";
import { defineRoute } from "../../src/core/api/route.ts";
import { bind, bindOpen } from "../../src/core/http/exchange.ts";
import type { RequestFigure } from "../../src/core/http/middleware/answers.ts";
import { send } from "../support/api-client.ts";
import { ApiHub } from "../support/api-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const spec = (path: string, access: "public" | "box" | "session") => {
  const shared = {
    method: "GET" as const,
    path,
    operationId: path.slice(1).replaceAll("/", "-"),
    tag: "t",
    summary: "",
    responses: { 200: { description: "", schema: Type.Unknown() } },
    problems: [],
  };
  return access === "session"
    ? defineRoute({ ...shared, access: { kind: access }, proof: "none" })
    : defineRoute({ ...shared, access: { kind: access } });
};

/** Sends raw bytes and returns everything that comes back until the connection ends. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

t.test("anything but HTTP is answered in the API's own error shape", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const { port } = hub.server;
  t.match(await raw(port, "HELLO\r\n\r\n"), /^HTTP\/1.1 400 .*"code":"invalid_request"/s);
  t.match(
    await raw(port, `GET /v1 HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`),
    /^HTTP\/1.1 431 .*"code":"headers_too_large"/s,
  );
  t.match(
    await raw(port, "POST /v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
    /^HTTP\/1.1 400 /,
  );
  t.match(
    await raw(port, "GET /v1 HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"),
    /^HTTP\/1.1 400 .*exactly one Host/s,
  );
  t.match(await raw(port, "GET /v1 HTTP/1.1\r\nConnection: close\r\n\r\n"), /^HTTP\/1.1 400 .*exactly one Host/s);
});

t.test("a keep-alive connection serves many requests", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  const one = "GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const text = await raw(hub.server.port, `${one}${one}${one.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")}`);
  t.equal(text.split("HTTP/1.1 200").length - 1, 3);
});

t.test("a stop lets a running request finish, refuses new ones, and ends idle connections", async (t) => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = (): void => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const slow = bindOpen(spec("/api/slow", "public"), async () => {
    begun();
    await held;
    return { status: 200, body: { done: true } };
  });
  const hub = await ApiHub.open(testFolder(t), { routes: [slow] });
  t.teardown(() => hub.close());
  const { port } = hub.server;
  const idle = connect(port, "127.0.0.1");
  const idleEnded = new Promise((resolve) => idle.on("close", resolve));
  idle.write("GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => idle.once("data", resolve));
  const answer = send(port, "GET", "/api/slow");
  await running;
  const stopped = hub.server.stop();
  await idleEnded;
  await t.rejects(send(port, "GET", "/v1"), { code: /^ECONNREFUSED$/ });
  release();
  t.match(await answer, { status: 200, body: { done: true }, headers: { connection: "close" } });
  await stopped;
  t.equal(hub.server.figures.running, 0);
});

t.test("only this user can open the control socket, and doing so gives the owner's rights", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "gh-")); // socket paths must stay short
  const socketFile = join(folder, "control.sock");
  const box = bindOpen(spec("/api/box", "box"), ({ facts }) => ({
    status: 200,
    body: { box: facts.box, address: facts.address },
  }));
  const hub = await ApiHub.open(testFolder(t), { routes: [box], server: { socketFile } });
  t.teardown(async () => {
    await hub.close();
    rmSync(folder, { recursive: true });
  });
  t.equal(statSync(socketFile).mode & 0o777, 0o600);
  const answer = await new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: socketFile, path: "/api/box" }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
  t.same(answer, { status: 200, body: { box: true, address: "local" } });
  t.equal(
    (await send(hub.server.port, "GET", "/api/box")).body.error.code,
    "route_not_found",
    "it does not exist on the network",
  );
  await hub.server.stop();
  t.equal(statSync(socketFile, { throwIfNoEntry: false }), undefined, "nothing is left behind");
});

t.test("session routes accept a session, and no API key", async (t) => {
  const me = bind(spec("/api/me", "session"), ({ caller }) => ({ status: 200, body: { actor: caller.actor } }));
  const hub = await ApiHub.open(testFolder(t), { routes: [me] });
  t.teardown(() => hub.close());
  const get = (headers: Record<string, string>) => send(hub.server.port, "GET", "/api/me", { headers });
  t.match(await get({ Cookie: await hub.cookie() }), { status: 200, body: { actor: /^session:\d+$/ } });
  t.hasStrict(await get({ Authorization: `Bearer ${await hub.key()}` }), {
    status: 403,
    body: { error: { code: "forbidden" } },
  });
  t.match(await get({}), { status: 401 });
});

t.test("TLS serves the same, counts as secure, and renews its certificate without a restart", async (t) => {
  const folder = testFolder(t);
  const make = (name: string): { key: string; cert: string } => {
    const [keyFile, certFile] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "1",
        "-subj",
        `/CN=${name}`,
        "-keyout",
        keyFile,
        "-out",
        certFile,
      ],
      { stdio: "ignore" },
    );
    return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
  };
  const hub = await ApiHub.open(folder, { server: { tls: { host: "127.0.0.1", port: 0, context: make("first") } } });
  t.teardown(() => hub.close());
  const get = () =>
    new Promise<{ openapi: string; name: string }>((resolve, reject) => {
      const outgoing = tlsRequest(
        { host: "127.0.0.1", port: hub.server.tlsPort, path: "/v1", rejectUnauthorized: false, agent: false },
        (response) => {
          const socket = response.socket as import("node:tls").TLSSocket; // https sockets are TLS sockets
          const name = String(socket.getPeerCertificate().subject.CN);
          let text = "";
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () => resolve({ openapi: JSON.parse(text).openapi, name }));
        },
      );
      outgoing.on("error", reject);
      outgoing.end();
    });
  t.same(await get(), { openapi: `https://127.0.0.1:${hub.server.tlsPort}/v1/openapi.json`, name: "first" });
  hub.server.renewCertificate(make("second"));
  t.equal((await get()).name, "second");
});

t.test("a trusted proxy's address and scheme are accepted, an untrusted client's are not", async (t) => {
  const who = bindOpen(spec("/api/who", "public"), ({ facts, baseUrl }) => ({
    status: 200,
    body: { address: facts.address, baseUrl },
  }));
  const headers = { "X-Forwarded-For": "6.6.6.6, 192.168.1.9", "X-Forwarded-Proto": "https", Host: "gatehouse.local" };
  const folder = testFolder(t, { direct: {}, behind: {} });
  const direct = await ApiHub.open(`${folder}/direct`, { routes: [who] });
  t.teardown(() => direct.close());
  t.same((await send(direct.server.port, "GET", "/api/who", { headers })).body, {
    address: "127.0.0.1",
    baseUrl: "http://gatehouse.local",
  });
  const behind = await ApiHub.open(`${folder}/behind`, { routes: [who], server: { trustProxy: true } });
  t.teardown(() => behind.close());
  t.same((await send(behind.server.port, "GET", "/api/who", { headers })).body, {
    address: "192.168.1.9",
    baseUrl: "https://gatehouse.local",
  });
});

t.test("every request is counted under its operation", async (t) => {
  const seen: RequestFigure[] = [];
  const hub = await ApiHub.open(testFolder(t), {
    server: { figures: { request: (figure) => void seen.push(figure) } },
  });
  t.teardown(() => hub.close());
  await hub.api.get("/v1/devices");
  await hub.api.get("/v1/nowhere");
  t.match(seen.slice(-2), [
    { operationId: "listDevices", method: /^GET$/, status: 401 },
    { operationId: null, method: /^GET$/, status: 404 },
  ]);
});

t.test("two routes for one method and path fail at start, not at the first request", async (t) => {
  const twice = bindOpen(spec("/api/twice", "public"), () => ({ status: 200, body: null }));
  await t.rejects(ApiHub.open(testFolder(t), { routes: [twice, twice] }), {
    message: /two routes for GET \/api\/twice/,
  });
});
