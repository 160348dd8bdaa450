/**
 * An attacker in the network who wants people and devices to use unencrypted connections: a real hub process, real
 * sockets.
 */
import { readFileSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import t from "tap";
import { WebSocket } from "ws";
import { type HubProcess, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);
const TLS = { GATEHOUSE_TLS: "own", GATEHOUSE_RECOGNITION: "false" };
const PERSON = { name: "Asha Rao", email: "asha@example.org", password: "correct horse battery staple" };

/** One hub with everything closed, for the tests whose changes others cannot notice. */
const encrypted = (async () => {
  const folder = testFolder(t, { own: {} });
  const hub = await startHubProcess(join(folder, "own"), {
    ...TLS,
    GATEHOUSE_MQTT_PLAIN: "false",
    GATEHOUSE_MQTT_WEBSOCKET: "true",
  });
  t.teardown(() => hub.kill());
  return { hub, folder: join(folder, "own") };
})();

interface Asked {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Ports and authority of a hub. */
function doors(hub: HubProcess, folder: string): { plain: number; https: number; ca: string } {
  const trust = /http:\/\/127\.0\.0\.1:(\d+)\/ca/.exec(hub.output())?.[1];
  return {
    plain: Number(trust),
    https: Number(new URL(hub.httpsUrl).port),
    ca: readFileSync(join(folder, "tls/authority.crt"), "utf8"),
  };
}

function ask(
  where: { readonly port: number; readonly ca?: string },
  method: string,
  path: string,
  { headers = {}, json }: { headers?: Record<string, string>; json?: object } = {},
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: where.port,
      method,
      path,
      agent: false,
      headers: { ...headers, ...(json && { "content-type": "application/json" }) },
    };
    const heard = (response: import("node:http").IncomingMessage): void => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    };
    const request =
      where.ca === undefined
        ? plainRequest(options, heard)
        : tlsRequest({ ...options, ca: where.ca, servername: "localhost" }, heard);
    request.on("error", reject);
    request.end(json === undefined ? undefined : JSON.stringify(json));
  });
}

/** Raw bytes over a plain socket; returns everything that came back. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(port, "127.0.0.1", () => socket.end(text));
    let heard = "";
    socket.on("data", (chunk) => (heard += String(chunk)));
    socket.on("close", () => resolve(heard));
    socket.on("error", reject);
  });
}

const cookieOf = ({ headers }: Asked): string => headers["set-cookie"]?.[0]?.split(";")[0] ?? "";

t.test("with TLS on, plain http accepts nothing and only redirects to https", async (t) => {
  const { hub, folder } = await encrypted;
  const { plain, https, ca } = doors(hub, folder);
  t.match(hub.url, /^https:/, "the printed address is the encrypted one");
  const clear = { port: plain };

  const claim = await ask(clear, "POST", "/api/claim", { json: { code: hub.claimCode, ...PERSON } });
  t.match([claim.status, JSON.parse(claim.body).error.code], [403, "https_required"]);
  t.notOk(claim.headers["set-cookie"]);
  t.match(
    JSON.parse((await ask(clear, "GET", "/api/claim")).body),
    { claimed: false },
    "and the right code was not accepted",
  );

  const page = await ask(clear, "GET", "/gate/cars?plate=MH12AB1234&x=%2F", { headers: { accept: "text/html" } });
  t.equal(page.status, 307);
  t.equal(
    page.headers.location,
    `https://127.0.0.1:${https}/gate/cars?plate=MH12AB1234&x=%2F`,
    "path and query are kept",
  );
  for (const path of ["/", "/index.html", "/assets/any.js", "/v1/docs/x", "/nothing"]) {
    const answer = await ask(clear, "GET", path, { headers: { accept: "text/html" } });
    t.ok(answer.status === 307 || answer.status === 403, `${path}: ${answer.status}`);
  }
  for (const path of ["/healthz", "/ca", "/ca.crt", "/ca-devices.crt"])
    t.equal((await ask(clear, "GET", path)).status, 200, path);
  t.equal((await ask(clear, "POST", "/ca")).status, 403, "they are only read");

  const claimed = await ask({ port: https, ca }, "POST", "/api/claim", { json: { code: hub.claimCode, ...PERSON } });
  t.equal(claimed.status, 201);
  const [session = "", device = ""] = claimed.headers["set-cookie"] ?? [];
  t.match(session, /^__Host-gatehouse_session=tls\.[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
  t.match(device, /^__Host-gatehouse_device=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
  t.equal(claimed.headers["set-cookie"]?.length, 2);
  t.notMatch(String(claimed.headers["set-cookie"]), /Domain/i);
  const key = await ask({ port: https, ca }, "POST", "/api/keys", {
    json: { name: "App", env: "live", scopes: ["devices:read"] },
    headers: { cookie: cookieOf(claimed) },
  });
  const { secret } = JSON.parse(key.body) as { secret: string };
  for (const headers of [
    { authorization: `Bearer ${secret}` },
    { "x-api-key": secret },
    { cookie: cookieOf(claimed) },
  ] as Record<string, string>[]) {
    const answer = await ask(clear, "GET", "/v1/devices", { headers });
    t.match(
      [answer.status, JSON.parse(answer.body).error.code],
      [403, "https_required"],
      "a good credential is ignored",
    );
  }
  t.equal(
    (await ask({ port: https, ca }, "GET", "/v1/devices", { headers: { authorization: `Bearer ${secret}` } })).status,
    200,
  );
  const spoofed = await ask(clear, "GET", "/v1/devices", {
    headers: { authorization: `Bearer ${secret}`, "x-forwarded-proto": "https", forwarded: "proto=https" },
  });
  t.equal(spoofed.status, 403, "no header makes a connection count as encrypted");
});

t.test("the redirect leads to this hub only", async (t) => {
  const { hub, folder } = await encrypted;
  const { plain, https } = doors(hub, folder);
  const location = (answer: string): string => /^location: (.*)$/im.exec(answer)?.[1]?.trim() ?? "none";
  const own = new RegExp(`^https://(127\\.0\\.0\\.1|gatehouse\\.local):${https}/`);
  const lines: [string, RegExp][] = [
    ["GET / HTTP/1.1\r\nHost: evil.example", /none/],
    ["GET / HTTP/1.1\r\nHost: 127.0.0.1@evil.example", /none/],
    ["GET / HTTP/1.1\r\nHost: 127.0.0.1:80@evil.example", /none/],
    ["GET / HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1", /none/],
    ["GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-Host: evil.example", own],
    ["GET / HTTP/1.1\r\nHost: gatehouse.local:1", own],
    ["GET //evil.example/ HTTP/1.1\r\nHost: 127.0.0.1", own],
    ["GET /\\evil.example HTTP/1.1\r\nHost: 127.0.0.1", own],
    ["GET /%0d%0aLocation:%20https://evil.example HTTP/1.1\r\nHost: 127.0.0.1", own],
    ["GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1", /none/],
    ["GET .evil.example/ HTTP/1.1\r\nHost: 127.0.0.1", /none/],
    ["GET @evil.example/ HTTP/1.1\r\nHost: 127.0.0.1", /none/],
    ["GET * HTTP/1.1\r\nHost: 127.0.0.1", /^(none|https:\/\/127\.0\.0\.1:\d+\/)$/],
    ["CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1", /none/],
  ];
  for (const [line, wanted] of lines) {
    const answer = await raw(plain, `${line}\r\nConnection: close\r\n\r\n`);
    t.match(location(answer), wanted, line);
  }
});

t.test("a session opened without TLS is refused over TLS, whatever its cookie is called, and vice versa", async (t) => {
  const folder = testFolder(t);
  const hub = await startHubProcess(folder, { ...TLS, GATEHOUSE_TLS: "auto" });
  t.teardown(() => hub.kill());
  const { plain, https, ca } = doors(hub, folder);
  t.match(hub.url, /^http:/, "a new hub may be claimed over plain http by going on without TLS");
  const claimed = await ask({ port: plain }, "POST", "/api/claim", { json: { code: hub.claimCode, ...PERSON } });
  t.equal(claimed.status, 201);
  const token = cookieOf(claimed).split("=")[1] ?? "";
  const at = async (port: number, cookie: string, over?: string): Promise<number> =>
    (await ask(over === undefined ? { port } : { port, ca: over }, "GET", "/api/sessions", { headers: { cookie } }))
      .status;
  t.equal(await at(plain, `gatehouse_session=${token}`), 200);
  for (const cookie of [
    `gatehouse_session=${token}`,
    `__Host-gatehouse_session=${token}`,
    `__Host-gatehouse_session=tls.${token}`,
    `__Host-gatehouse_session=x; gatehouse_session=${token}`,
  ])
    t.equal(await at(https, cookie, ca), 401, cookie.replace(token, "TOKEN"));

  const { email, password } = PERSON;
  const signedIn = await ask({ port: https, ca }, "POST", "/api/session", { json: { email, password } });
  const secure = cookieOf(signedIn).split("=")[1] ?? "";
  t.equal(await at(https, `__Host-gatehouse_session=${secure}`, ca), 200);
  t.equal(
    await at(https, `gatehouse_session=${secure}`, ca),
    401,
    "nor under the name that an unencrypted page could set",
  );
  t.equal(await at(plain, `gatehouse_session=${secure}`), 401);
  t.equal(await at(plain, `gatehouse_session=${secure.replace("tls.", "")}`), 401);

  const closed = await ask({ port: https, ca }, "PATCH", "/api/settings", {
    json: { settings: { "tls.plainHttp": "closed" } },
    headers: { cookie: `__Host-gatehouse_session=${secure}` },
  });
  t.equal(closed.status, 200, closed.body);
  t.equal(await at(plain, `gatehouse_session=${token}`), 403, "closed with one tap, at once, even for open sessions");
  await hub.stop();
  const again = await startHubProcess(folder, { ...TLS, GATEHOUSE_TLS: "auto" });
  t.teardown(() => again.kill());
  t.equal((await ask({ port: doors(again, folder).plain }, "GET", "/v1/devices")).status, 403, "and after a restart");
});

t.test("claiming over https closes plain http; other names in the settings do not open it", async (t) => {
  const folder = testFolder(t);
  const hub = await startHubProcess(folder, { ...TLS, GATEHOUSE_TLS: "auto" });
  t.teardown(() => hub.kill());
  const { plain, https, ca } = doors(hub, folder);
  const page = await ask({ port: plain }, "GET", "/ca");
  t.match(page.body, /\/\?clear/, "an owner who refuses may go on");
  t.equal(
    (await ask({ port: https, ca }, "POST", "/api/claim", { json: { code: hub.claimCode, ...PERSON } })).status,
    201,
  );
  const signIn = await ask({ port: plain }, "POST", "/api/session", {
    json: { email: PERSON.email, password: PERSON.password },
  });
  t.match([signIn.status, JSON.parse(signIn.body).error.code], [403, "https_required"]);
  t.notMatch((await ask({ port: plain }, "GET", "/ca")).body, /\?clear/);
});

t.test("HSTS: only by name, only on https's own port, never for long", async (t) => {
  const { hub, folder } = await encrypted;
  const { https, ca } = doors(hub, folder);
  for (const host of [`127.0.0.1:${https}`, `gatehouse.local:${https}`, "localhost"])
    t.notOk(
      (await ask({ port: https, ca }, "GET", "/healthz", { headers: { host } })).headers["strict-transport-security"],
      `${host} on ${https}`,
    );
});

t.test("plain MQTT and MQTT over a plain WebSocket are closed if the settings disable them", async (t) => {
  const { hub, folder } = await encrypted;
  const { plain, https, ca } = doors(hub, folder);
  t.notMatch(hub.output(), /mqtt:\/\//);
  t.ok(hub.mqttsPort > 0);
  const connect = "\x10\x10\x00\x04MQTT\x04\x02\x00\x3c\x00\x04evil";
  t.equal(
    await raw(hub.mqttsPort, connect).catch(() => ""),
    "",
    "an unencrypted CONNECT at the TLS port gets no CONNACK",
  );
  t.match(await raw(plain, connect).catch(() => ""), /^HTTP\/1\.1 400 /, "nor at the web server's");
  const opens = (url: string, options: object): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = new WebSocket(url, "mqtt", options);
      socket.on("open", () => resolve(true));
      socket.on("error", () => resolve(false));
    });
  t.equal(await opens(`ws://127.0.0.1:${plain}/mqtt`, {}), false);
  t.equal(await opens(`wss://127.0.0.1:${https}/mqtt`, { ca }), true, "over TLS it opens");
  await t.rejects(
    startHubProcess(testFolder(t), { GATEHOUSE_TLS: "off", GATEHOUSE_MQTT_PLAIN: "false" }),
    /mqtt\.plain.*off needs TLS/,
  );
});

t.test("both servers refuse TLS 1.0 and 1.1, and renegotiation", async (t) => {
  const { hub, folder } = await encrypted;
  const { https, ca } = doors(hub, folder);
  for (const port of [https, hub.mqttsPort]) {
    for (const version of ["TLSv1", "TLSv1.1"] as const) {
      const done = await new Promise<string>((resolve) => {
        const socket = connectTls({
          host: "127.0.0.1",
          port,
          ca,
          servername: "localhost",
          minVersion: version,
          maxVersion: version,
          ciphers: "ALL:@SECLEVEL=0",
        });
        socket.on("secureConnect", () => resolve("accepted"));
        socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      });
      t.match(done, /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/, `${version} on ${port}`);
    }
    const again = await new Promise<string>((resolve) => {
      const socket = connectTls({ host: "127.0.0.1", port, ca, servername: "localhost", maxVersion: "TLSv1.2" }, () => {
        socket.renegotiate({}, (error) => resolve(error === null ? "renegotiated" : error.message));
      });
      socket.on("error", (error) => resolve(error.message));
      socket.on("close", () => resolve("closed"));
      socket.resume();
    });
    t.not(again, "renegotiated", `port ${port}: ${again}`);
  }
});
