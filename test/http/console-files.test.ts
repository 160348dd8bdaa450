import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import t from "tap";
import type { FirstSightOf } from "../../src/core/http/console-files.ts";
import { pictureOf } from "../../src/features/gate/rules/read-picture.ts";
import { send } from "../support/api-client.ts";
import { ApiHub } from "../support/api-hub.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const FILES = {
  "index.html": '<!doctype html><title>Gatehouse</title><div class="hero"><!-- picture --></div>',
  "manifest.webmanifest": "{}",
  ".env": "SECRET=1",
  "notes.exe": "no",
  assets: { "app-B3xK9_aQ.js": `export const a = "${"a".repeat(5_000)}";`, "logo.svg": "<svg/>" },
};

t.test("the console's files are served exactly, and nothing else of the disk", async (t) => {
  const folder = testFolder(t, { dist: FILES, data: {} });
  const hub = await ApiHub.open(`${folder}/data`, { server: { consoleFolder: `${folder}/dist` } });
  t.teardown(() => hub.close());
  const get = (path: string, headers: Record<string, string> = {}) => send(hub.server.port, "GET", path, { headers });
  const page = { Accept: "text/html,application/xhtml+xml" };

  const index = await get("/", page);
  t.match(index, {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    },
  });
  t.match(index.headers["content-security-policy"], /script-src 'self'.*frame-ancestors 'none'/);
  t.same((await get("/devices/plug", page)).bytes, index.bytes, "a page of the app");

  const script = await get("/assets/app-B3xK9_aQ.js");
  t.match(script.headers, {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
  });
  const small = await get("/assets/app-B3xK9_aQ.js", { "Accept-Encoding": "gzip, deflate, br, zstd" });
  t.equal(small.headers["content-encoding"], "br");
  t.equal(small.headers.vary, "Accept-Encoding");
  t.same(brotliDecompressSync(small.bytes), script.bytes);
  const packed = await get("/assets/app-B3xK9_aQ.js", { "Accept-Encoding": "gzip, deflate" });
  t.equal(packed.headers["content-encoding"], "gzip");
  t.same(gunzipSync(packed.bytes), script.bytes);
  t.equal(new Set([packed, small, script].map(({ headers }) => headers.etag)).size, 3, "each has a mark of its own");
  t.equal((await get("/assets/app-B3xK9_aQ.js", { "If-None-Match": String(script.headers.etag) })).status, 304);
  t.equal((await get("/assets/logo.svg")).headers["cache-control"], "no-cache");

  for (const path of [
    "/.env",
    "/notes.exe",
    "/missing.js",
    "/../data/gatehouse.db",
    "/%2e%2e/data/gatehouse.db",
    "/assets/",
    "/v1/nowhere",
    "/api/nowhere",
  ]) {
    t.hasStrict(await get(path), { status: 404, body: { error: { code: "route_not_found" } } }, path);
  }
  t.equal((await get("/api/nowhere", page)).status, 404, "no page in place of an API response");
  t.equal((await send(hub.server.port, "POST", "/")).status, 405);
});

t.test("what a page shows and requests first is in it, and such a page is for its reader alone", async (t) => {
  const folder = testFolder(t, { dist: FILES, data: {} });
  let read = 7;
  const firstSightOf: FirstSightOf = ({ path, headers }) =>
    headers.cookie === undefined
      ? null
      : {
          links: ["</one>; rel=preload; as=fetch"],
          picture: path === "/" ? pictureOf({ id: read, confidence: 90 }) : null,
        };
  const hub = await ApiHub.open(`${folder}/data`, { server: { consoleFolder: `${folder}/dist`, firstSightOf } });
  t.teardown(() => hub.close());
  const get = (path: string, headers: Record<string, string>) => send(hub.server.port, "GET", path, { headers });
  const page = { Accept: "text/html", "Accept-Encoding": "gzip" };
  const nobody = await get("/", page);
  t.equal(nobody.headers.link, undefined);
  t.equal(nobody.headers["cache-control"], "no-cache");
  t.notMatch(gunzipSync(nobody.bytes).toString(), /<img/);
  const somebody = await get("/gate", { ...page, Cookie: "a=b" });
  t.equal(somebody.headers.link, "</one>; rel=preload; as=fetch");
  t.equal(somebody.headers["cache-control"], "private, no-cache");
  t.same(somebody.bytes, nobody.bytes);
  t.not(somebody.headers.etag, nobody.headers.etag, "a kept page asks for nothing once they have signed out");
  t.match(somebody.headers.vary, /Cookie/);

  const home = await get("/", { ...page, Cookie: "a=b" });
  t.match(home.bytes.toString(), '<div class="hero"><div class="hero-picture"><img src="/v1/plates/7/image?sure=90" ');
  t.equal(home.headers["content-encoding"], undefined);
  t.equal(home.headers["cache-control"], "private, no-cache");
  const again = { ...page, Cookie: "a=b", "If-None-Match": String(home.headers.etag) };
  t.equal((await get("/", again)).status, 304);
  read = 8;
  t.match((await get("/", again)).bytes.toString(), "/v1/plates/8/image", "another picture is another page");
  t.equal((await get("/assets/app-B3xK9_aQ.js", { Cookie: "a=b" })).headers.link, undefined);
});

t.test("a page whose first sight cannot be read is there without it", async (t) => {
  const folder = testFolder(t, { dist: FILES, data: {} });
  const firstSightOf: FirstSightOf = () => {
    throw new Error("database disk image is malformed");
  };
  const hub = await ApiHub.open(`${folder}/data`, { server: { consoleFolder: `${folder}/dist`, firstSightOf } });
  t.teardown(() => hub.close());
  const { status, bytes, headers } = await send(hub.server.port, "GET", "/", { headers: { Accept: "text/html" } });
  t.hasStrict({ status, link: headers.link }, { status: 200, link: undefined });
  t.match(bytes.toString(), "<title>Gatehouse</title>");
});

t.test("the built console leaves room for the picture that it opens with", async (t) => {
  t.match(readFileSync(join(PROJECT_ROOT, "src/console/index.html"), "utf8"), '<div class="hero"><!-- picture -->');
});

t.test("without a built console its pages do not exist", async (t) => {
  const hub = await ApiHub.open(testFolder(t), { server: { consoleFolder: "/nonexistent" } });
  t.teardown(() => hub.close());
  t.equal(hub.server.hasConsole, false);
  t.equal((await send(hub.server.port, "GET", "/")).status, 404);
});
