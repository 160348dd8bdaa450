import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { release } from "../support/small-release.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("installs, reports it, changes nothing the second time, upgrades, uninstalls; data stays", async (t) => {
  const folder = testFolder(t, { root: {} });
  for (const name of ["key", "stranger"])
    writeFileSync(
      join(folder, name),
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
    );
  const root = join(folder, "root");
  const install = (from: string, ...args: string[]): { status: number | null; out: string } => {
    const { status, stdout, stderr } = spawnSync("sh", [join(from, "install.sh"), "--root", root, ...args], {
      encoding: "utf8",
    });
    return { status, out: stdout + stderr };
  };
  const first = await release(folder, "1.0.0", join(folder, "key"));
  t.match(install(first, "--upgrade"), { status: 1, out: /nothing to upgrade/ });
  t.match(install(first), { status: 0, out: /program: .*1\.0\.0[\s\S]*ports 80 and 443[\s\S]*Done/ });
  t.equal(readlinkSync(join(root, "opt/gatehouse/current")), "versions/1.0.0");
  const enabled = readdirSync(join(root, "etc/systemd/system/multi-user.target.wants"));
  t.same(enabled.sort(), [
    "gatehouse-boot.service",
    "gatehouse-clock.path",
    "gatehouse-update-resume.service",
    "gatehouse-update.path",
    "gatehouse.service",
  ]);
  t.match(
    readFileSync(join(root, "etc/gatehouse/gatehouse.env"), "utf8"),
    /^GATEHOUSE_HTTP_PORT=80\nGATEHOUSE_TLS=auto\nGATEHOUSE_HTTPS_PORT=443\n/m,
    "if no factory reset removes them",
  );

  writeFileSync(join(root, "var/lib/gatehouse/gatehouse.json"), '{"http":{"port":8080}}');
  writeFileSync(join(root, "etc/gatehouse/gatehouse.env"), "GATEHOUSE_LOG_LEVEL=debug\n");
  t.match(install(first), { status: 0, out: /there already/ });
  t.match(install(await release(folder, "1.1.0", join(folder, "stranger"))), {
    status: 1,
    out: /not signed by the key of the installed version/,
  });
  t.equal(readlinkSync(join(root, "opt/gatehouse/current")), "versions/1.0.0", "nothing was changed");
  for (const version of ["1.2.0", "1.3.0", "1.4.0", "1.5.0"])
    t.equal(install(await release(folder, version, join(folder, "key")), "--upgrade").status, 0);
  t.equal(readlinkSync(join(root, "opt/gatehouse/current")), "versions/1.5.0");
  t.equal(readdirSync(join(root, "opt/gatehouse/versions")).length, 3, "the oldest are gone");
  t.equal(
    readFileSync(join(root, "var/lib/gatehouse/gatehouse.json"), "utf8"),
    '{"http":{"port":8080}}',
    "settings stay",
  );
  t.equal(readFileSync(join(root, "etc/gatehouse/gatehouse.env"), "utf8"), "GATEHOUSE_LOG_LEVEL=debug\n");

  const last = join(folder, "release-1.5.0-key");
  t.match(install(last, "--uninstall"), { status: 0, out: /kept:/ });
  t.notOk(existsSync(join(root, "opt/gatehouse")));
  t.same(
    readdirSync(join(root, "etc/systemd/system"), { recursive: true }).filter((name) =>
      String(name).includes("gatehouse"),
    ),
    [],
  );
  t.ok(existsSync(join(root, "var/lib/gatehouse/gatehouse.json")));
  t.match(install(last, "--uninstall"), { status: 0, out: /not installed/ });
});

t.test("a damaged release is refused", async (t) => {
  const folder = testFolder(t, { root: {} });
  writeFileSync(
    join(folder, "key"),
    generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
  );
  const unpacked = await release(folder, "1.0.0", join(folder, "key"));
  const payload = readFileSync(join(unpacked, "payload.tar.gz"));
  writeFileSync(join(unpacked, "payload.tar.gz"), payload.subarray(0, payload.length - 10));
  const { status, stderr } = spawnSync("sh", [join(unpacked, "install.sh"), "--root", join(folder, "root")], {
    encoding: "utf8",
  });
  t.equal(status, 1);
  t.match(stderr, /damaged/);
  t.notOk(existsSync(join(folder, "root/opt/gatehouse/current")));
});
