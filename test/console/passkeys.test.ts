/**
 * Passkeys and fresh proofs in a real browser with a virtual authenticator, over TLS with the hub's own authority: a
 * passkey is added, signs in, and confirms the user to a restarted hub.
 */
import type { CDPSession, Page } from "playwright-core";
import t, { type Test } from "tap";
import { type HubProcess, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { startBrowser, type TestBrowser } from "./browser.ts";
import { cannotBrowse, SIZES, type Size, violations } from "./stage.ts";

const PASSWORD = "correct horse battery staple";
const NAME = "gatehouse.local";
const ENV = { GATEHOUSE_TLS: "own", GATEHOUSE_MQTTS_PORT: "0" };

/** A phone's own authenticator, which is always unlocked. */
const AUTHENTICATOR = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

function tlsPort(hub: HubProcess): string {
  return /https:\/\/[^\s:]+:(\d+)/.exec(hub.output())?.[1] ?? "";
}

/** Makes the page's device confirm passkeys, or time out as if unattended. */
async function present(session: CDPSession, authenticatorId: string, isUserVerified: boolean): Promise<void> {
  await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
}

t.setTimeout(600_000);
t.test("passkeys in the page", { skip: cannotBrowse }, async (t) => {
  const browser = await startBrowser(["--ignore-certificate-errors", `--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);
  t.teardown(() => browser.close());
  // keys of a literal
  for (const size of Object.keys(SIZES) as Size[]) await t.test(size, (t) => lives(browser, size, t));
});

async function lives(browser: TestBrowser, size: Size, t: Test): Promise<void> {
  const folder = testFolder(t);
  let hub = await startHubProcess(folder, { ...ENV, GATEHOUSE_HTTPS_PORT: "0" });
  t.teardown(() => hub.kill());
  const port = tlsPort(hub);
  const origin = `https://${NAME}:${port}`;
  const context = await browser.newContext({
    baseURL: origin,
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: SIZES[size],
    ignoreHTTPSErrors: true,
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const device = await context.newCDPSession(page);
  await device.send("WebAuthn.enable");
  const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", { options: AUTHENTICATOR });
  const data = { code: hub.claimCode, name: "Asha Rao", email: "asha@example.org", password: PASSWORD };
  await page.goto("/");
  await call(page, "POST", "/api/claim", data);

  await t.test("one is added, under a name", async (t) => {
    await showAccount(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`It works on ${NAME}.`).waitFor();
    await dialog.getByLabel("Name of the passkey").fill("My phone");
    await dialog.getByRole("button", { name: "Create the passkey" }).click();
    await page.getByText("My phone", { exact: true }).waitFor();
    await page.getByText("never used").waitFor();
    t.strictSame(await violations(page), []);
  });

  await t.test("it signs in without e-mail and password", async (t) => {
    await context.clearCookies();
    await page.goto("/");
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    t.strictSame(await violations(page), []);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("navigation").waitFor();
  });

  // One session for each question: a restarted hub has no proof of any.
  const sessions = [await context.cookies()];
  for (const _ of ["by password", "not at all"]) {
    await call(page, "POST", "/api/session", { email: data.email, password: PASSWORD });
    sessions.push(await context.cookies());
  }
  hub = await startedAnew(hub, folder, port);
  const comeAs = async (who: number): Promise<void> => {
    await context.clearCookies();
    await context.addCookies(sessions[who] ?? []);
    await page.goto("/system/persons");
  };

  await t.test("a restarted hub asks for a proof, and a passkey gives it", async (t) => {
    await comeAs(0);
    await invite(page);
    const question = page.getByRole("dialog", { name: "Confirm it is you" });
    await question.getByRole("button", { name: "Use a passkey" }).waitFor();
    t.strictSame(await violations(page), []);
    await question.getByRole("button", { name: "Use a passkey" }).click();
    await question.waitFor({ state: "detached" });
    await page.getByRole("img", { name: "QR code of the invitation" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  });

  await t.test("an unattended device is reported, and the password works instead, by keyboard alone", async (t) => {
    await present(device, authenticatorId, false);
    await comeAs(1);
    await invite(page);
    const question = page.getByRole("dialog", { name: "Confirm it is you" });
    await question.getByRole("button", { name: "Use a passkey" }).click();
    await question.getByRole("alert").filter({ hasText: "The browser gave no passkey" }).waitFor();
    await page.keyboard.press("Tab");
    t.equal(await page.evaluate("document.activeElement.autocomplete"), "current-password");
    await page.keyboard.type("not this one");
    await page.keyboard.press("Enter");
    await question.getByText("The password is wrong.").waitFor();
    await question.getByLabel("Current password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await question.waitFor({ state: "detached" });
    await page.getByRole("img", { name: "QR code of the invitation" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  });

  await t.test("without confirmation nothing changes", async (t) => {
    await comeAs(2);
    const before = await invitations(page);
    await invite(page);
    await page.getByRole("dialog", { name: "Confirm it is you" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Confirm it is you" }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    t.equal(await invitations(page), before);
  });

  await t.test("a download asks too, and it is removed again", async (t) => {
    await present(device, authenticatorId, true);
    await call(page, "POST", "/api/backups", {});
    await page.goto("/system/backups");
    const arrives = page.waitForEvent("download");
    await page
      .getByRole("button", { name: /^Download the backup/ })
      .first()
      .click();
    await page
      .getByRole("dialog", { name: "Confirm it is you" })
      .getByRole("button", { name: "Use a passkey" })
      .click();
    t.match((await arrives).suggestedFilename(), /gatehouse/);
    await showAccount(page);
    await page.getByRole("button", { name: "Remove passkey My phone" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove the passkey" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    t.same(await call(page, "GET", "/api/me/passkeys"), { passkeys: [], place: "here" });
  });

  await t.test("under an IP address the page explains why no passkey can be added", async () => {
    const plain = await browser.newContext({
      baseURL: `https://127.0.0.1:${port}`,
      locale: "en-GB",
      viewport: SIZES[size],
      ignoreHTTPSErrors: true,
    });
    const other = await plain.newPage();
    await other.request.post("/api/session", { data: { email: data.email, password: PASSWORD } });
    await showAccount(other);
    await other.getByText("Passkeys belong to a name.").waitFor();
    await plain.close();
  });
}

/** Opens the person's own account. */
async function showAccount(page: Page): Promise<void> {
  await page.goto("/system/account");
}

async function startedAnew(hub: HubProcess, folder: string, port: string): Promise<HubProcess> {
  await hub.stop();
  return startHubProcess(folder, { ...ENV, GATEHOUSE_HTTPS_PORT: port });
}

async function invite(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Invite somebody" }).click();
  await page.getByRole("dialog").getByLabel("Who is it?").fill("Ravi");
  await page.getByRole("button", { name: "Create invitation" }).click();
}

async function invitations(page: Page): Promise<number> {
  return ((await call(page, "GET", "/api/persons")) as { invitations: unknown[] }).invitations.length; // its contract
}

/** A call made by the page itself: only the browser resolves the hub's name. */
function call(page: Page, method: string, path: string, body?: object): Promise<unknown> {
  const options = {
    method,
    ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  };
  return page.evaluate(`fetch(${JSON.stringify(path)}, ${JSON.stringify(options)}).then((answer) => answer.json())`);
}
