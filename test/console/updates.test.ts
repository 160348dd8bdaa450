/**
 * A signed update from the page: sent, checked, installed beside the old version, on trial, kept; the page follows it
 * through the restart.
 */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { type ApplyOptions, applyUpdate } from "../../src/features/updates/apply.ts";
import { debianArch } from "../../src/features/updates/bundle.ts";
import { versionsStrategy } from "../../src/features/updates/strategies.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually, type HubProcess, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { startBrowser } from "./browser.ts";
import { cannotBrowse, SIZES } from "./stage.ts";

const BUNDLE = join(PROJECT_ROOT, "build-hub");
const bundleScript = (await import(join(PROJECT_ROOT, "scripts/lib/bundle.mjs"))) as {
  writeBundle: (wishes: object) => Promise<void>;
}; // plain JavaScript

/** Versions side by side as install.sh makes them, with the test in place of systemd. */
class Box {
  readonly root: string;
  readonly #keys = generateKeyPairSync("ed25519");
  readonly #stranger = generateKeyPairSync("ed25519");
  hub: HubProcess | null = null;
  #restart: Promise<void> = Promise.resolve();

  constructor(root: string) {
    this.root = root;
    for (const folder of ["program/versions", "units", "data", "state"])
      mkdirSync(join(root, folder), { recursive: true });
    this.#makeVersion(join(root, "program/versions/1.0.0"), "1.0.0");
    symlinkSync("versions/1.0.0", join(root, "program/current"));
  }

  async start(port = "0"): Promise<HubProcess> {
    const env = {
      GATEHOUSE_UPDATE_STATE: join(this.root, "state"),
      GATEHOUSE_RECOGNITION: "false",
      GATEHOUSE_HTTP_PORT: port,
    };
    this.hub = await startHubProcess(join(this.root, "data"), env, {
      main: join(this.root, "program/current/build/src/main.js"),
    });
    return this.hub;
  }

  /** A bundle with this build as its program, signed by the manufacturer or by another key. */
  async bundle(version: string, signer: "maker" | "stranger" = "maker"): Promise<string> {
    const tree = join(this.root, `tree-${version}`);
    this.#makeVersion(tree, version);
    const payload = join(this.root, `payload-${version}.tar.gz`);
    execFileSync("tar", ["-czf", payload, "-C", tree, "."]);
    const keyFile = join(this.root, `${signer}.pem`);
    const { privateKey } = signer === "maker" ? this.#keys : this.#stranger;
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    const out = join(this.root, `gatehouse-${version}-${signer}.tar`);
    const about = {
      kind: "versions",
      version,
      arch: debianArch(process.arch),
      builtAt: 1_700_000_000_000,
      databaseVersion: 1,
    };
    await bundleScript.writeBundle({ out, keyFile, ...about, files: [{ name: "payload.tar.gz", path: payload }] });
    return out;
  }

  /**
   * The work of gatehouse-update.service as root. Two healthy minutes have a test of their own; here they pass when the
   * new version serves.
   */
  async apply(): Promise<void> {
    const data = join(this.root, "data");
    const work = join(this.root, "state/incoming");
    const run = (command: string, args: readonly string[]): string => this.#run(command, args);
    const place = {
      program: join(this.root, "program"),
      units: join(this.root, "units"),
      dataFolder: data,
      work,
      clock: systemClock,
      run,
    };
    const options: ApplyOptions = {
      stateFolder: join(this.root, "state"),
      dataFolder: data,
      work,
      arch: debianArch(process.arch),
      keys: () => [pem(this.#keys.publicKey)],
      strategy: versionsStrategy(place),
      run,
      say: () => {},
      clock: systemClock,
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms / 10)),
    };
    await applyUpdate(options);
    await this.#restart;
  }

  /** The new version reports that it is healthy. */
  proved(version: string): void {
    writeFileSync(join(this.root, "data/requests/healthy"), JSON.stringify({ version }));
  }

  #run(command: string, args: readonly string[]): string {
    if (command !== "systemctl") return execFileSync(command, args, { encoding: "utf8" });
    if (args[0] === "show") return "ActiveState=active\nResult=success\nNRestarts=0\n";
    if (args[0] === "restart") this.#restart = this.#startAgain();
    return "";
  }

  async #startAgain(): Promise<void> {
    const port = new URL(this.hub?.url ?? "").port;
    await this.hub?.stop();
    await this.start(port);
  }

  #makeVersion(folder: string, version: string): void {
    for (const path of ["bin", "systemd", "dist"]) mkdirSync(join(folder, path), { recursive: true });
    cpSync(join(BUNDLE, "src"), join(folder, "build/src"), {
      recursive: true,
      filter: (path) => !path.endsWith(".map"),
    });
    for (const part of ["dist/console", "src/core/storage/migrations"])
      cpSync(join(PROJECT_ROOT, part), join(folder, part), { recursive: true });
    symlinkSync(join(PROJECT_ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "gatehouse", type: "module", version }));
    writeFileSync(join(folder, "bin/node"), "");
    writeFileSync(join(folder, "systemd/gatehouse.service"), `# ${version}\n`);
    writeFileSync(join(folder, "release.pub"), pem(this.#keys.publicKey));
  }
}

function pem(key: KeyObject): string {
  return key.export({ type: "spki", format: "pem" }).toString();
}

t.setTimeout(280_000);
t.test("an update from the page", { skip: cannotBrowse }, async (t) => {
  const box = new Box(testFolder(t));
  const hub = await box.start();
  t.teardown(() => box.hub?.stop());
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const context = await browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: SIZES.phone,
  });
  context.setDefaultTimeout(40_000);
  const page = await context.newPage();
  await page.request.post("/api/claim", {
    data: {
      code: hub.claimCode,
      name: "Asha Rao",
      email: "asha@example.org",
      password: "correct horse battery staple",
    },
  });
  await page.goto("/system/updates");
  await page.getByText("Version 1.0.0", { exact: true }).waitFor();
  await send(page, await box.bundle("1.1.0", "stranger"));
  await page.getByText(/not signed/).waitFor();
  await seenThrough(page, box, t);
});

async function send(page: Page, file: string): Promise<void> {
  await page.getByLabel("Update file").setInputFiles(file);
  await page.getByRole("button", { name: "Install", exact: true }).click();
}

async function seenThrough(page: Page, box: Box, t: Test): Promise<void> {
  await send(page, await box.bundle("1.2.0"));
  const last = page.getByRole("region", { name: "Last update" });
  await last.getByText("waits", { exact: true }).waitFor();
  t.equal(await page.getByRole("button", { name: "Install", exact: true }).isDisabled(), true, "one at a time");
  const applied = box.apply();
  await last.getByText("on trial", { exact: true }).waitFor();
  await page.getByText("Version 1.2.0", { exact: true }).waitFor();
  await page.reload(); // the new version's page, still signed in
  await last.getByText("on trial", { exact: true }).waitFor();
  box.proved("1.2.0");
  await applied;
  await last.getByText("done", { exact: true }).waitFor();
  await last.getByText("1.0.0 → 1.2.0").waitFor();
  await eventually(async () =>
    (await page.getByRole("button", { name: "Go back to the version before" }).isEnabled()) ? true : undefined,
  );
}
