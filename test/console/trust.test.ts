/**
 * The first hour of a new hub in a browser that has never seen it: without the hub's authority it is led to the page
 * about trust and no further; with the authority in its store (NSS, as a person imports it) it reaches https, claims
 * the hub there, and plain http is closed.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import t, { type Test } from "tap";
import { Person, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { cannotBrowse, violations } from "./stage.ts";

t.setTimeout(280_000);
const CHROMIUM = "/usr/bin/chromium"; // the full one: it reads the store in which a person imports an authority
const skip =
  cannotBrowse ||
  (!existsSync(CHROMIUM) && `${CHROMIUM} is not installed (Debian: chromium)`) ||
  (spawnSync("certutil", ["-H"]).error ? "certutil is not installed (Debian: libnss3-tools)" : false);
const NAME = "hill-house.local";

/** A browser with its own home, trusting `authority` (a file) or no one. The test's host names lead to this machine. */
async function freshBrowser(t: Test, home: string, authority: string | null): Promise<Browser> {
  for (const store of [".pki/nssdb", ".local/share/pki/nssdb"]) {
    mkdirSync(join(home, store), { recursive: true });
    const database = ["-d", `sql:${join(home, store)}`];
    execFileSync("certutil", ["-N", "--empty-password", ...database]);
    if (authority !== null) execFileSync("certutil", ["-A", ...database, "-n", "hub", "-t", "C,,", "-i", authority]);
  }
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    env: {
      ...process.env,
      HOME: home,
      XDG_DATA_HOME: join(home, ".local/share"),
      XDG_CONFIG_HOME: join(home, ".config"),
    } as Record<string, string>,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=MAP ${NAME} 127.0.0.1, MAP example.com 127.0.0.1, MAP printer.local 127.0.0.1`,
    ],
  });
  t.teardown(() => browser.close());
  return browser;
}

async function openPage(browser: Browser, size = { width: 390, height: 844 }): Promise<Page> {
  const context = await browser.newContext({ locale: "en-GB", reducedMotion: "reduce", viewport: size });
  context.setDefaultTimeout(30_000);
  return context.newPage();
}

t.test("from plain http over /ca to https; plain http is closed", { skip }, async (t) => {
  const folder = testFolder(t, { hub: {}, stranger: {}, friend: {} });
  const hub = await startHubProcess(join(folder, "hub"), { GATEHOUSE_TLS: "auto", GATEHOUSE_NAME: "hill-house" });
  t.teardown(() => hub.kill());
  const plain = `http://${NAME}:${new URL(hub.url).port}`;
  const https = `https://${NAME}:${new URL(hub.httpsUrl).port}`;

  const untrusting = await freshBrowser(t, join(folder, "stranger"), null);
  const first = await openPage(untrusting);
  await first.goto(`${plain}/`);
  await first.waitForURL(`${plain}/ca?lang=en`);
  t.match(await first.locator("#state").textContent(), /lock is open/);
  t.same(await violations(first), [], "axe finds nothing wrong");
  t.same(
    await first.evaluate(
      "document.fonts.ready.then((all) => [...all].map(({ family, status }) => family + ' ' + status))",
    ),
    ["Inter loaded", "Noto Sans Devanagari loaded"],
    "both languages can be read where the system has neither font",
  );
  await first.waitForTimeout(3_000);
  t.match(first.url(), /\/ca/, "it waits; the browser shows no warning");
  t.equal(await first.getByRole("textbox").count(), 0, "and there is no password field");
  // the browser's warning comes late, and would interrupt the next step of the first page
  const warned = await first.context().newPage();
  await t.rejects(warned.goto(`${https}/`), /ERR_CERT_AUTHORITY_INVALID/, "the browser does not trust the hub");
  await warned.close();
  await first.goto(`${plain}/ca?lang=hi`);
  await first.getByText("पहले ताला बंद करें").first().waitFor();
  await first.goto(`${plain}/ca`);
  await first.getByText("Continue without encryption").click();
  await first.getByRole("link", { name: "I understand, continue without" }).click();
  await first.getByLabel("Claim code").waitFor();
  await first.getByText("This connection is not encrypted").waitFor();

  const authority = join(folder, "authority.crt");
  writeFileSync(authority, await (await fetch(`${hub.url}/ca.crt`)).text());
  const friend = await freshBrowser(t, join(folder, "friend"), authority);
  const page = await openPage(friend, { width: 1280, height: 900 });
  const loaded: string[] = [];
  await page.goto(`${plain}/`);
  await page.waitForURL(`${https}/`);
  page.on("request", (request) => loaded.push(request.url()));
  await page.getByLabel("Claim code").fill(hub.claimCode ?? "");
  await page.getByLabel("Your name").fill("Asha Rao");
  await page.getByLabel("E-mail").fill("asha@example.org");
  await page.getByLabel("Password").fill("correct horse battery staple");
  t.equal(await page.getByText("This connection is not encrypted").count(), 0);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("Name of the site").fill("Rao house");
  await page.getByRole("button", { name: "Finish" }).click();
  await page.waitForURL(`${https}/`);
  await page.getByRole("link", { name: "Home", exact: true }).first().waitFor();
  const cookies = (await page.context().cookies()).sort((a, b) => a.name.localeCompare(b.name));
  t.match(
    cookies,
    ["__Host-gatehouse_device", "__Host-gatehouse_session"].map((name) => ({
      name,
      secure: true,
      httpOnly: true,
      sameSite: "Strict",
      domain: NAME,
    })),
  );
  t.equal(cookies.length, 2);

  await page.goto(`${https}/system/persons`);
  await page.getByRole("button", { name: "Invite somebody" }).click();
  await page.getByRole("dialog").getByLabel("Who is it?").fill("Gopal");
  await page.getByRole("button", { name: "Create invitation" }).click();
  await page.getByText("shows a warning first").waitFor();
  t.equal(await page.getByRole("link", { name: `${plain}/ca` }).getAttribute("href"), `${plain}/ca`);
  t.same(await violations(page), []);
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();

  await page.goto(`${plain}/system/network?from=http`);
  t.equal(page.url(), `${https}/system/network?from=http`, "plain http leads back with the path");
  await page.getByText("plain http only leads to https").waitFor();
  const shown = await page.locator("dd code").allTextContents();
  t.ok(
    shown.some((text) => text.startsWith("https://")) && !shown.some((text) => text.startsWith("http://")),
    `the card shows ${shown.join(", ")}`,
  );
  t.same(
    loaded.filter(
      (url) =>
        !url.startsWith("https:") &&
        !url.startsWith("data:") &&
        !url.startsWith("blob:") &&
        !url.startsWith(`${plain}/system`),
    ),
    [],
    "nothing is loaded in clear",
  );
  t.equal(
    (
      await fetch(`${hub.url}/api/session`, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json" },
      })
    ).status,
    403,
  );

  // One tap: a new authority. This browser does not trust it, and is led to the page about trust.
  await page.getByRole("button", { name: "Renew the authority" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Renew the authority" }).click();
  await page.waitForURL(`${plain}/ca?lang=en`);
  const renewed = await (await fetch(`${hub.url}/ca.crt`)).text();
  t.not(renewed, readFileSync(authority, "utf8"));
  t.match(await page.locator("code").first().textContent(), /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
});

t.test("the browser accepts the authority for the home, and for nothing on the internet", { skip }, async (t) => {
  const folder = testFolder(t, { hub: {}, friend: {} });
  const hub = await startHubProcess(join(folder, "hub"), {
    GATEHOUSE_TLS: "own",
    GATEHOUSE_PLAIN_HTTP: "open",
    GATEHOUSE_NAME: "hill-house",
  });
  t.teardown(() => hub.kill());
  const tls = join(folder, "hub", "tls");
  const friend = await freshBrowser(t, join(folder, "friend"), join(tls, "authority.crt"));
  const page = await openPage(friend);
  const { port } = new URL(hub.httpsUrl);
  await new Person(hub.url).claim(hub.claimCode ?? "");
  await page.goto(`http://${NAME}:${new URL(hub.url).port}/`);
  await page.getByLabel("Password").waitFor();
  await page.getByRole("link", { name: "Set up the encrypted connection" }).click();
  await page.waitForURL(`https://${NAME}:${port}/`, { timeout: 20_000 });
  await page.getByLabel("Password").waitFor();
  t.equal(
    await page.getByText("This connection is not encrypted").count(),
    0,
    "with plain http open, its sign-in page warns and leads to https",
  );
  for (const host of [NAME, "127.0.0.1", "localhost"])
    t.equal((await page.goto(`https://${host}:${port}/healthz`))?.status(), 200, host);

  for (const [host, wanted] of [
    ["printer.local", "accepted"],
    ["example.com", "refused"],
  ] as const) {
    const at = (file: string): string => join(folder, file);
    writeFileSync(
      at("ext.cnf"),
      `basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=DNS:${host}\n`,
    );
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", at("leaf.key")];
    execFileSync("openssl", ["req", "-new", ...key, "-out", at("leaf.csr"), "-subj", "/CN=leaf"], { stdio: "pipe" });
    const signed = [
      "-CA",
      join(tls, "authority.crt"),
      "-CAkey",
      join(tls, "authority.key"),
      "-set_serial",
      "9",
      "-days",
      "30",
      "-extfile",
      at("ext.cnf"),
    ];
    execFileSync("openssl", ["x509", "-req", "-in", at("leaf.csr"), ...signed, "-out", at("leaf.crt")], {
      stdio: "pipe",
    });
    const thief = createServer(
      { cert: readFileSync(at("leaf.crt")), key: readFileSync(at("leaf.key")) },
      (_, response) => response.end("hello"),
    );
    await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
    const visit = page.goto(`https://${host}:${(thief.address() as AddressInfo).port}/`); // listening on TCP
    if (wanted === "accepted") t.equal((await visit)?.status(), 200, `${host}: a name of the home`);
    else await t.rejects(visit, /ERR_CERT_/, `${host}: the stolen key is worth nothing`);
    thief.close();
    thief.closeAllConnections();
  }
});
