import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t from "tap";
import { ownCertificates } from "../../src/platform/certificates.js";

const WISHES = { names: ["gatehouse.local", "localhost"], addresses: ["127.0.0.1", "::1"] };

function fetchOver(port: number, host: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host, port, path: "/", ca }, (response) => {
      response.on("data", (chunk) => resolve(String(chunk)));
    }).on("error", reject);
  });
}

t.test("a client that trusts the authority reaches the hub by name and by address, others do not", async (t) => {
  const folder = join(t.testdir(), "tls");
  const { server, authority } = await ownCertificates({ ...WISHES, folder, nowMs: Date.now() });
  const listener = createServer(server, (_, response) => response.end("hello"));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo; // listening on TCP
  t.equal(await fetchOver(port, "localhost", authority.cert), "hello");
  t.equal(await fetchOver(port, "127.0.0.1", authority.cert), "hello");
  const stranger = await ownCertificates({ ...WISHES, folder: join(t.testdir(), "other"), nowMs: Date.now() });
  await t.rejects(fetchOver(port, "localhost", stranger.authority.cert));
  listener.close();
});

t.test("it is made once; the leaf alone is renewed near its end and for a new address", async (t) => {
  const folder = join(t.testdir(), "tls");
  const now = Date.now();
  const first = await ownCertificates({ ...WISHES, folder, nowMs: now });
  t.equal(first.renewed, true);
  const second = await ownCertificates({ ...WISHES, folder, nowMs: now });
  t.same([second.renewed, second.server.cert], [false, first.server.cert]);
  const moved = await ownCertificates({ ...WISHES, addresses: ["127.0.0.1", "192.168.7.9"], folder, nowMs: now });
  t.equal(moved.renewed, true);
  t.equal(moved.authority.fingerprint, first.authority.fingerprint, "phones need no new trust");
  const later = await ownCertificates({ ...WISHES, folder, nowMs: now + 340 * 86_400_000 });
  t.equal(later.renewed, true);
  t.match(first.authority.fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  for (const file of ["authority.key", "server.key"])
    t.equal(statSync(join(folder, file)).mode & 0o777, 0o600, `${file} is private`);
});

t.test("files that a power cut emptied, or that do not belong together, are made anew", async (t) => {
  const folder = join(t.testdir(), "tls");
  const wishes = { ...WISHES, folder, nowMs: Date.now() };
  const first = await ownCertificates(wishes);
  const serves = ({ cert, key }: { cert: string; key: string }): boolean =>
    createServer({ cert, key }).close() !== undefined;
  for (const file of ["server.crt", "server.key"]) {
    writeFileSync(join(folder, file), "");
    const mended = await ownCertificates(wishes);
    t.same(
      [mended.renewed, mended.authority.fingerprint],
      [true, first.authority.fingerprint],
      `an empty ${file}: a new leaf of the same authority`,
    );
    t.ok(serves(mended.server));
  }
  const [kept] = [readFileSync(join(folder, "server.crt"))];
  await ownCertificates({ ...wishes, names: [...WISHES.names, "hill-house.local"] });
  writeFileSync(join(folder, "server.crt"), kept);
  t.ok(
    serves((await ownCertificates(wishes)).server),
    "a key of the next leaf beside the certificate of the one before",
  );
  for (const file of ["authority.crt", "authority.key"]) {
    const before = await ownCertificates(wishes);
    writeFileSync(join(folder, file), "");
    const mended = await ownCertificates(wishes);
    t.not(mended.authority.fingerprint, before.authority.fingerprint, `an empty ${file}: a new authority`);
    t.ok(
      mended.renewed && serves(mended.server) && existsSync(join(folder, `${file}.unusable`)),
      "and a leaf of its own",
    );
  }
});

t.test("on a disk that takes nothing, a hub that has moved is served a certificate all the same", async (t) => {
  const folder = t.testdir();
  const now = Date.now();
  await ownCertificates({ ...WISHES, folder, nowMs: now });
  rmSync(join(folder, "authority-devices.crt"));
  // where files are written before they take their place
  for (const name of ["server.key", "server.crt", "authority-devices.crt"]) mkdirSync(join(folder, `${name}.new`));
  const moved = { ...WISHES, addresses: ["127.0.0.1", "192.168.7.9"], folder, nowMs: now };
  const { server, renewed } = await ownCertificates(moved);
  t.equal(renewed, true);
  t.match(new X509Certificate(server.cert).subjectAltName, /192\.168\.7\.9/);
  t.ok(new X509Certificate(server.cert).checkPrivateKey(createPrivateKey(server.key)));
  for (const name of ["server.key", "server.crt", "authority-devices.crt"]) rmdirSync(join(folder, `${name}.new`));
  const stored = await ownCertificates(moved);
  t.equal(stored.renewed, true, "nothing of it was stored");
  t.equal((await ownCertificates(moved)).renewed, false);
});

t.test("what a clock that is years off has made serves all the same once the time is known", async (t) => {
  const now = Date.now();
  const isValid = ({ cert }: { cert: string }): boolean => {
    const { validFromDate, validToDate } = new X509Certificate(cert);
    return validFromDate.getTime() <= now && now < validToDate.getTime();
  };
  for (const nowMs of [Date.UTC(2200, 0, 1), Date.UTC(9999, 11, 31)]) {
    const folder = join(t.testdir(), `tls-${nowMs}`);
    const first = await ownCertificates({ ...WISHES, folder, nowMs });
    t.ok(isValid(first.authority), "nobody has to trust another authority");
    t.notOk(isValid(first.server));
    const unsure = await ownCertificates({ ...WISHES, folder, nowMs: now });
    t.equal(unsure.renewed, false, "it may be this clock that is wrong");
    const sure = await ownCertificates({ ...WISHES, folder, nowMs: now, isTimeKnown: true });
    t.ok(isValid(sure.server));
    t.equal(sure.authority.fingerprint, first.authority.fingerprint);
    t.equal((await ownCertificates({ ...WISHES, folder, nowMs: now, isTimeKnown: true })).renewed, false);
  }
});
