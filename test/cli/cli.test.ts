import { spawn } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { COMMANDS } from "../../src/cli/cli.ts";
import { GOOD_PASSWORD } from "../support/access.ts";
import { gatehouse } from "../support/cli.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const ACCOUNT = JSON.stringify({ account: { email: "owner@example.org", name: "Olga", password: GOOD_PASSWORD } });

t.test("every command explains itself, and a usage error differs from a failure", async (t) => {
  const folder = testFolder(t);
  for (const { name } of COMMANDS)
    t.match(await gatehouse(folder, [name, "--help"]), { code: 0, out: /^Usage: gatehouse .*--data FOLDER/s }, name);
  t.match(await gatehouse(folder, ["--help"]), { code: 0, out: /provision/ });
  t.match(await gatehouse(folder, []), { code: 2 });
  t.match(await gatehouse(folder, ["frobnicate"]), { code: 2, err: /no command "frobnicate"/ });
  t.match(await gatehouse(folder, ["keys", "list", "--wrong"]), { code: 2, err: /--wrong/ });
  t.match(await gatehouse(folder, ["--version"]), { code: 0, out: "0.0.0\n" });
  t.match(await gatehouse(folder, ["keys", "list"], { env: { GATEHOUSE_HTTP_PORT: "x" } }), {
    code: 78,
    err: /http.port/,
  });
});

t.test("keys, devices and webhooks are managed without a running hub", async (t) => {
  const folder = testFolder(t);
  t.match(await gatehouse(folder, ["keys", "list"]), { code: 1, err: /There is no hub in/ });
  await gatehouse(folder, ["provision", "-"], { input: ACCOUNT });
  const key = await gatehouse(folder, [
    "keys",
    "create",
    "--name",
    "App",
    "--scopes",
    "devices:read,rooms:read",
    "--origin",
    "https://app.example.org",
  ]);
  t.match(key, { code: 0, out: /^gth_live_\w{36}\n$/ });
  t.match(await gatehouse(folder, ["keys", "create", "--name", "X", "--scopes", "nonsense"]), {
    code: 1,
    err: /scopes/,
  });
  t.equal((await gatehouse(folder, ["keys", "create"])).code, 2);
  t.match(
    await gatehouse(folder, ["keys", "create", "--name", "X"]),
    { code: 2, err: /--scopes/ },
    "a key's scopes are never guessed",
  );
  t.match(await gatehouse(folder, ["keys", "list"]), { out: /1 +live +gth_live_.*active +never +App\n/ });
  t.match(await gatehouse(folder, ["keys", "rotate", "1"]), { code: 0, out: /^gth_live_/ });
  t.match(await gatehouse(folder, ["keys", "revoke", "1", "--json"]), { code: 0, out: /"status": "revoked"/ });
  t.match(await gatehouse(folder, ["keys", "revoke", "77"]), { code: 1, err: "There is no such key.\n" });
  t.equal((await gatehouse(folder, ["keys", "revoke", "x"])).code, 2);

  const device = await gatehouse(folder, [
    "devices",
    "create",
    "--id",
    "plug-1",
    "--name",
    "Kettle",
    "--type",
    "smart-plug",
    "--room",
    "Kitchen",
    "--json",
  ]);
  t.match(JSON.parse(device.out), { device: { id: /^plug-1$/, room: "Kitchen" }, password: /^\w{32}$/ });
  t.match(await gatehouse(folder, ["devices", "list"]), { out: /plug-1 +smart-plug +Kitchen +no +never +Kettle/ });
  t.match(await gatehouse(folder, ["devices", "password", "plug-1"]), { code: 0, out: /^\w{32}\n$/ });
  t.equal((await gatehouse(folder, ["devices", "revoke", "plug-1"])).code, 0);
  t.match(await gatehouse(folder, ["devices", "revoke", "plug-1"]), { code: 1, err: /no such device/i });

  const webhook = await gatehouse(folder, [
    "webhooks",
    "create",
    "--url",
    "http://192.168.1.20/hook",
    "--events",
    "device.state",
  ]);
  t.match(webhook, { code: 0, out: /^whsec_/ });
  t.match(await gatehouse(folder, ["webhooks", "list"]), {
    out: /1 +live +active +0 +device.state +http:\/\/192.168.1.20\/hook/,
  });
  const probe = async (): Promise<unknown> =>
    JSON.parse((await gatehouse(folder, ["webhooks", "list", "--json"])).out).webhooks[0].probe;
  t.equal(await probe(), true, "enabled by default");
  t.equal((await gatehouse(folder, ["webhooks", "probe", "1", "off"])).code, 0);
  t.equal(await probe(), false);
  t.match(await gatehouse(folder, ["webhooks", "probe", "1"]), { code: 2, err: /on or off/ });
  t.match(await gatehouse(folder, ["webhooks", "test", "1"]), { code: 2, err: /hub must run/ });
  t.match(await gatehouse(folder, ["webhooks", "rotate", "1"]), { code: 0, out: /^whsec_/ });
  t.equal((await gatehouse(folder, ["webhooks", "revoke", "1"])).code, 0);
});

t.test("an owner who lost the password gets a new one on the host", async (t) => {
  const folder = testFolder(t);
  t.match(await gatehouse(folder, ["reset-owner"]), { code: 1, err: /There is no hub in/ });
  await gatehouse(folder, ["provision", "-"], { input: ACCOUNT });
  t.match(await gatehouse(folder, ["reset-owner"]), {
    code: 0,
    out: /^The password of owner@example.org is changed: \w{20}\n$/,
  });
  t.match(await gatehouse(folder, ["reset-owner", "--password-stdin"], { input: "short\n" }), {
    code: 1,
    err: /at least 15 characters/,
  });
  t.match(
    await gatehouse(folder, ["reset-owner", "--password-stdin", "--json"], { input: "seven kettles under moss\n" }),
    {
      code: 0,
      out: '{\n  "email": "owner@example.org"\n}\n',
    },
  );
});

t.test("the descriptions of both interfaces are printed", async (t) => {
  const folder = testFolder(t);
  t.match(JSON.parse((await gatehouse(folder, ["openapi"])).out), {
    openapi: "3.1.0",
    info: { version: "1.0.0" },
    paths: { "/v1/devices": {} },
  });
  t.match(JSON.parse((await gatehouse(folder, ["openapi", "--console"])).out), {
    openapi: "3.1.0",
    paths: { "/api/keys": {} },
  });
});

t.test("the program itself passes exit codes and output on", async (t) => {
  const call = (args: string[]) =>
    new Promise<{ code: number | null; out: string }>((resolve) => {
      const env = {
        PATH: process.env.PATH ?? "",
        GATEHOUSE_DATA: t.testdirName,
      };
      const child = spawn(process.execPath, [join(PROJECT_ROOT, "scripts/gatehouse.mjs"), ...args], { env });
      let out = "";
      child.stdout.on("data", (chunk) => (out += String(chunk)));
      child.on("exit", (code) => resolve({ code, out }));
    });
  t.match(await call(["--version"]), { code: 0, out: /^\d+\.\d+\.\d+/ });
  t.match(await call(["nonsense"]), { code: 2, out: "" });
});
