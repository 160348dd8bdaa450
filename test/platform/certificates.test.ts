import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t from "tap";
import { FileTroubles } from "../../src/core/kernel/file-troubles.ts";
import { ownCertificates, retireAuthority } from "../../src/core/platform/certificates.ts";
import { isPair } from "../../src/core/platform/key-pair.ts";
import { soundCertificates } from "../support/certificates.ts";
import { testFolder } from "../support/test-folder.ts";

const WISHES = { names: ["gatehouse.local", "localhost"], addresses: ["127.0.0.1", "::1"] };

function fetchOver(port: number, host: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host, port, path: "/", ca }, (response) => {
      response.on("data", (chunk) => resolve(String(chunk)));
    }).on("error", reject);
  });
}

t.test("a client that trusts the authority reaches the hub by name and by address, others do not", async (t) => {
  const folder = join(testFolder(t), "tls");
  const { server, authority } = await soundCertificates({ ...WISHES, folder, nowMs: Date.now() });
  const listener = createServer(server, (_, response) => response.end("hello"));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo; // listening on TCP
  t.equal(await fetchOver(port, "localhost", authority.cert), "hello");
  t.equal(await fetchOver(port, "127.0.0.1", authority.cert), "hello");
  const other = await soundCertificates({ ...WISHES, folder: join(testFolder(t), "other"), nowMs: Date.now() });
  await t.rejects(fetchOver(port, "localhost", other.authority.cert));
  listener.close();
});

t.test("it is made once; only the leaf is renewed near its end and for a new address", async (t) => {
  const folder = join(testFolder(t), "tls");
  const now = Date.now();
  const first = await soundCertificates({ ...WISHES, folder, nowMs: now });
  t.equal(first.renewed, true);
  const second = await soundCertificates({ ...WISHES, folder, nowMs: now });
  t.same([second.renewed, second.server.cert], [false, first.server.cert]);
  const moved = await soundCertificates({ ...WISHES, addresses: ["127.0.0.1", "192.168.7.9"], folder, nowMs: now });
  t.equal(moved.renewed, true);
  t.equal(moved.authority.fingerprint, first.authority.fingerprint, "phones need no new trust");
  const later = await soundCertificates({ ...WISHES, folder, nowMs: now + 340 * 86_400_000 });
  t.equal(later.renewed, true);
  t.match(first.authority.fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  for (const file of ["authority.key", "server.key"])
    t.equal(statSync(join(folder, file)).mode & 0o777, 0o600, `${file} is private`);
});

t.test("a key with one flipped bit is not served, though its public half matches the certificate", async (t) => {
  const folder = join(testFolder(t), "tls");
  const wishes = { ...WISHES, folder, nowMs: Date.now() };
  const first = await soundCertificates(wishes);
  const file = join(folder, "server.key");
  const der = createPrivateKey(first.server.key).export({ format: "der", type: "pkcs8" });
  der.writeUInt8(der.readUInt8(60) ^ 1, 60); // of the 32 bytes from 36 on
  writeFileSync(file, `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`);
  t.ok(new X509Certificate(first.server.cert).checkPrivateKey(createPrivateKey(readFileSync(file))), "the public half");
  t.notOk(isPair(first.server.cert, readFileSync(file, "utf8")));
  const mended = await soundCertificates(wishes);
  t.same([mended.renewed, mended.authority.fingerprint], [true, first.authority.fingerprint], "a new leaf");
  t.ok(isPair(mended.server.cert, mended.server.key));
});

t.test("files emptied by a power cut, or that do not match, are made again", async (t) => {
  const folder = join(testFolder(t), "tls");
  const wishes = { ...WISHES, folder, nowMs: Date.now() };
  const first = await soundCertificates(wishes);
  const serves = ({ cert, key }: { cert: string; key: string }): boolean =>
    createServer({ cert, key }).close() !== undefined;
  for (const file of ["server.crt", "server.key"]) {
    writeFileSync(join(folder, file), "");
    const mended = await soundCertificates(wishes);
    t.same(
      [mended.renewed, mended.authority.fingerprint],
      [true, first.authority.fingerprint],
      `an empty ${file}: a new leaf of the same authority`,
    );
    t.ok(serves(mended.server));
  }
  const [kept] = [readFileSync(join(folder, "server.crt"))];
  await soundCertificates({ ...wishes, names: [...WISHES.names, "hill-house.local"] });
  writeFileSync(join(folder, "server.crt"), kept);
  t.ok(
    serves((await soundCertificates(wishes)).server),
    "the next leaf's key beside the certificate of the previous one",
  );
});

t.test("an authority is restored from its copy, and never replaced without a person's order", async (t) => {
  const serves = ({ cert, key }: { cert: string; key: string }): boolean =>
    createServer({ cert, key }).close() !== undefined;
  const flipped = (file: string, bit: number): void => {
    const bytes = readFileSync(file);
    bytes.writeUInt8((bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
    writeFileSync(file, bytes);
  };
  for (const name of ["authority.crt", "authority.key"]) {
    const root = testFolder(t);
    const [folder, copyFile] = [join(root, "tls"), join(root, "authority.copy")];
    const wishes = { ...WISHES, folder, copyFile, nowMs: Date.now() };
    const { authority } = await soundCertificates(wishes);
    const file = join(folder, name);
    const harms: Record<string, () => void> = {
      empty: () => writeFileSync(file, ""),
      missing: () => rmSync(file),
      ...Object.fromEntries(
        Array.from({ length: 20 }, (_, n) => [
          `flip ${n}`,
          () => flipped(file, Math.floor((n + 0.37) * (statSync(file).size / 20) * 8)),
        ]),
      ),
    };
    for (const [harm, apply] of Object.entries(harms)) {
      apply();
      const troubles = new FileTroubles();
      const mended = await soundCertificates({ ...wishes, troubles });
      t.equal(mended.authority.fingerprint, authority.fingerprint, `${name}: ${harm}`);
      t.equal(mended.renewed, false, "and the leaf stays too");
    }
    // with its copy gone too it is lost: the old leaf stays in use, and nothing new is made
    writeFileSync(copyFile, "garbage");
    writeFileSync(file, "garbage");
    const troubles = new FileTroubles();
    const lost = await ownCertificates({ ...wishes, troubles });
    t.equal(lost.authority, null);
    t.match(troubles.all, [{ file: "tls/authority", instead: "without" }]);
    t.ok(serves(lost.server));
    rmSync(join(folder, "server.key"));
    t.ok(serves((await ownCertificates(wishes)).server), "a temporary one, which is not stored");
    t.notOk(existsSync(join(folder, "server.key")));
    t.equal((await ownCertificates(wishes)).authority, null, "also at the next start");
    retireAuthority(folder, copyFile);
    const anew = await soundCertificates(wishes);
    t.not(anew.authority.fingerprint, authority.fingerprint, "a person requested another one");
    t.ok(existsSync(join(folder, `${name}.before`)));
  }
});

t.test("a power cut between the two files of a first start leaves nothing trusted", async (t) => {
  const folder = testFolder(t);
  writeFileSync(join(folder, "authority.key"), "half");
  t.ok((await soundCertificates({ ...WISHES, folder, nowMs: Date.now() })).authority.fingerprint);
});

t.test("on a read-only disk, a hub with a new address still gets a certificate", async (t) => {
  const folder = testFolder(t);
  const now = Date.now();
  await soundCertificates({ ...WISHES, folder, nowMs: now });
  rmSync(join(folder, "authority-devices.crt"));
  // where files are written before they are moved into place
  for (const name of ["server.key", "server.crt", "authority-devices.crt"]) mkdirSync(join(folder, `${name}.new`));
  const moved = { ...WISHES, addresses: ["127.0.0.1", "192.168.7.9"], folder, nowMs: now };
  const { server, renewed } = await soundCertificates(moved);
  t.equal(renewed, true);
  t.match(new X509Certificate(server.cert).subjectAltName, /192\.168\.7\.9/);
  t.ok(new X509Certificate(server.cert).checkPrivateKey(createPrivateKey(server.key)));
  for (const name of ["server.key", "server.crt", "authority-devices.crt"]) rmdirSync(join(folder, `${name}.new`));
  const stored = await soundCertificates(moved);
  t.equal(stored.renewed, true, "nothing of it was stored");
  t.equal((await soundCertificates(moved)).renewed, false);
});

t.test("certificates made under a clock years off still work once the time is known", async (t) => {
  const now = Date.now();
  const isValid = ({ cert }: { cert: string }): boolean => {
    const { validFromDate, validToDate } = new X509Certificate(cert);
    return validFromDate.getTime() <= now && now < validToDate.getTime();
  };
  for (const nowMs of [Date.UTC(2200, 0, 1), Date.UTC(9999, 11, 31)]) {
    const folder = join(testFolder(t), `tls-${nowMs}`);
    const first = await soundCertificates({ ...WISHES, folder, nowMs });
    t.ok(isValid(first.authority), "no device has to trust another authority");
    t.notOk(isValid(first.server));
    const unsure = await soundCertificates({ ...WISHES, folder, nowMs: now });
    t.equal(unsure.renewed, false, "it may be this clock that is wrong");
    const sure = await soundCertificates({ ...WISHES, folder, nowMs: now, isTimeKnown: true });
    t.ok(isValid(sure.server));
    t.equal(sure.authority.fingerprint, first.authority.fingerprint);
    t.equal((await soundCertificates({ ...WISHES, folder, nowMs: now, isTimeKnown: true })).renewed, false);
  }
});
