/**
 * A stolen key of the hub's authority: what a certificate made with it is good for. Judged by OpenSSL, by Node, and by
 * the browser in `test/console/trust.test.ts`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t from "tap";
import { authorityKind } from "../../src/core/platform/certificates.ts";
import { soundCertificates } from "../support/certificates.ts";
import { testFolder } from "../support/test-folder.ts";

const WISHES = { names: ["hill-house.local"], addresses: ["192.168.7.9"], nowMs: Date.now() };

/** A leaf for `san`, signed with the authority's own key as a thief would. Returns the file of the certificate. */
function steal(
  folder: string,
  san: string,
  extensions = "basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth",
  name = "leaf",
): string {
  const at = (file: string): string => join(folder, file);
  writeFileSync(at("ext.cnf"), `${extensions}\nsubjectAltName=${san}\n`);
  const openssl = (...words: string[]): void => void execFileSync("openssl", words, { stdio: "pipe" });
  if (!existsSync(at(`${name}.csr`))) {
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", at(`${name}.key`)];
    openssl("req", "-new", ...key, "-out", at(`${name}.csr`), "-subj", "/CN=leaf");
  }
  openssl(
    "x509",
    "-req",
    "-in",
    at(`${name}.csr`),
    "-CA",
    at("authority.crt"),
    "-CAkey",
    at("authority.key"),
    "-set_serial",
    "7",
    "-days",
    "30",
    "-extfile",
    at("ext.cnf"),
    "-out",
    at(`${name}.crt`),
  );
  return at(`${name}.crt`);
}

function verdict(authority: string, leaf: string, ...words: string[]): string {
  const { status, stderr } = spawnSync("openssl", ["verify", "-x509_strict", ...words, "-CAfile", authority, leaf], {
    encoding: "utf8",
  });
  return status === 0 ? "accepted" : (/error \d+ at \d+ depth lookup: (.*)/.exec(stderr)?.[1] ?? stderr);
}

const PERMITTED = [
  "DNS:hill-house.local",
  "DNS:hill-house-2.local",
  "DNS:nas.lan",
  "DNS:hub.home.arpa",
  "DNS:hub.internal",
  "DNS:localhost",
  "IP:192.168.1.1",
  "IP:10.255.0.1",
  "IP:172.31.255.254",
  "IP:169.254.3.4",
  "IP:127.0.0.1",
  "IP:fd12:3456::1",
  "IP:fe80::1",
  "IP:::1",
];
const REFUSED = [
  "DNS:example.com",
  "DNS:www.example.com",
  "DNS:evillocal",
  "DNS:local.example.com",
  "DNS:hill-house.local.example.com",
  "DNS:*.com",
  "DNS:com",
  "IP:8.8.8.8",
  "IP:172.32.0.1",
  "IP:11.0.0.1",
  "IP:128.0.0.1",
  "IP:2001:4860::1",
  "IP:fec0::1",
  "IP:::2",
];

t.test("it vouches only for the home, in both forms", async (t) => {
  const folder = join(testFolder(t), "tls");
  const { server, authority } = await soundCertificates({
    ...WISHES,
    names: [...WISHES.names, "villa.example.org", "raspberrypi"],
    addresses: [...WISHES.addresses, "2001:db8::5"],
    folder,
  });
  const devices = join(folder, "authority-devices.crt");
  const forms = [join(folder, "authority.crt"), devices];
  for (const form of forms)
    t.equal(verdict(form, join(folder, "server.crt"), "-purpose", "sslserver"), "accepted", "the hub's own leaf");
  t.notMatch(
    execFileSync("openssl", ["x509", "-noout", "-ext", "subjectAltName"], { input: server.cert, encoding: "utf8" }),
    /example\.org|raspberrypi|2001/,
    "which contains nothing that would spoil it",
  );
  for (const san of PERMITTED) {
    const leaf = steal(folder, san);
    for (const form of forms) t.equal(verdict(form, leaf), "accepted", san);
  }
  for (const san of [...REFUSED, "DNS:hill-house.local,DNS:example.com", "IP:192.168.1.1,IP:8.8.8.8"]) {
    const leaf = steal(folder, san);
    for (const form of forms) t.match(verdict(form, leaf), /permitted subtree violation/, san);
  }
  const { status } = spawnSync("openssl", [
    "verify",
    "-purpose",
    "smimesign",
    "-CAfile",
    forms[0] ?? "",
    steal(folder, "DNS:a.local", "extendedKeyUsage=emailProtection"),
  ]);
  t.not(status, 0, "neither for mail nor for anything but servers");
  t.equal(authority.kind, "own");
});

t.test("no authority under it: its path ends with the leaf", async (t) => {
  const folder = join(testFolder(t), "tls");
  await soundCertificates({ ...WISHES, folder });
  const between = steal(
    folder,
    "DNS:between.local",
    "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign",
    "between",
  );
  const at = (file: string): string => join(folder, file);
  const under = join(folder, "under");
  mkdirSync(under);
  writeFileSync(join(under, "authority.crt"), readFileSync(between));
  writeFileSync(join(under, "authority.key"), readFileSync(at("between.key")));
  const leaf = steal(under, "DNS:hill-house.local");
  t.match(verdict(at("authority.crt"), leaf, "-untrusted", between), /path length constraint exceeded/);
});

t.test("its form: ten years, critical constraints, leaves that phones accept", async (t) => {
  const folder = join(testFolder(t), "tls");
  await soundCertificates({ ...WISHES, folder });
  const text = (file: string): string =>
    execFileSync("openssl", ["x509", "-noout", "-text", "-in", join(folder, file)], { encoding: "utf8" });
  const date = (file: string, word: string): number =>
    Date.parse(new RegExp(`${word}: (.*)`).exec(text(file))?.[1] ?? "");
  const days = (from: number, to: number): number => (to - from) / 86_400_000;
  t.match(text("authority.crt"), /Name Constraints: critical\s+Permitted:/);
  t.match(text("authority.crt"), /CA:TRUE, pathlen:0/);
  t.match(text("authority.crt"), /Key Usage: critical\s+Certificate Sign, CRL Sign/);
  t.match(text("authority-devices.crt"), /Name Constraints: \n\s+Permitted:/, "not critical for devices");
  const leafDays = days(date("server.crt", "Not Before"), date("server.crt", "Not After "));
  t.ok(leafDays <= 398, `${leafDays} days`);
  t.ok(days(WISHES.nowMs, date("authority.crt", "Not After ")) < 10 * 366);
  t.equal(date("authority.crt", "Not Before"), Date.UTC(2020, 0, 1), "before any correct clock");
});

t.test("Node's own client draws the same line", async (t) => {
  const folder = join(testFolder(t), "tls");
  const { authority } = await soundCertificates({ ...WISHES, folder });
  const reach = async (san: string, host: string): Promise<string> => {
    const leaf = steal(folder, san);
    const listener = createServer(
      { cert: readFileSync(leaf), key: readFileSync(leaf.replace(".crt", ".key")) },
      (_, response) => response.end("hello"),
    );
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address() as AddressInfo; // listening on TCP
    const answer = await new Promise<string>((resolve) => {
      get(
        { host: "127.0.0.1", port, servername: host, ca: authority.cert, agent: false, headers: { host } },
        (response) => {
          resolve("accepted");
          response.resume();
        },
      ).on("error", (error) => resolve(error.message));
    });
    listener.close();
    listener.closeAllConnections();
    return answer;
  };
  t.equal(await reach("DNS:hill-house.local", "hill-house.local"), "accepted");
  t.match(await reach("DNS:example.com", "example.com"), /permitted subtree violation/);
});

t.test("an authority of an earlier version is recognized, and stays in use", async (t) => {
  const folder = join(testFolder(t, { tls: {} }), "tls");
  const at = (file: string): string => join(folder, file);
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
      "-keyout",
      at("authority.key"),
      "-out",
      at("authority.crt"),
      "-days",
      "7300",
      "-subj",
      "/CN=Gatehouse authority 0a1b2c",
      "-addext",
      "basicConstraints=critical,CA:TRUE,pathlen:0",
    ],
    { stdio: "pipe" },
  );
  const before = readFileSync(at("authority.crt"), "utf8");
  t.equal(authorityKind(before), "boundless");
  const { authority, server } = await soundCertificates({
    ...WISHES,
    names: [...WISHES.names, "villa.example.org"],
    folder,
  });
  t.equal(authority.kind, "boundless");
  t.equal(authority.cert.replace(/\s/g, ""), before.replace(/\s/g, ""));
  t.match(
    execFileSync("openssl", ["x509", "-noout", "-ext", "subjectAltName"], { input: server.cert, encoding: "utf8" }),
    /villa\.example\.org/,
  );
});
