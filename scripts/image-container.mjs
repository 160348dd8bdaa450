#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/image-container.mjs --root FOLDER [--scratch FOLDER]
 *
 * The short form of image-test.mjs, for every change: inspects the root of `build-image.sh --container`, then boots it
 * with systemd as its first program, with a settings file and no network except a cable to this machine. Takes seconds
 * instead of an hour; kernel, initrd, card and slots are not covered. Root only. Exits 1 on a failure.
 */
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Container } from "./image/container.mjs";
import { check } from "./image/trial/report.mjs";
import { prepare } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    root: { type: "string" },
    scratch: { type: "string", default: `/tmp/gatehouse-container-${process.pid}` },
  },
});
await prepare({ isBuilt: true }); // the image contains the build
if (values.root === undefined) {
  console.error("usage: node scripts/image-container.mjs --root FOLDER [--scratch FOLDER]");
  process.exit(2);
}
const root = resolve(values.root);
const CLAIM_CODE = "ABCDE-FGHJK";

/** @param {string} title @param {() => Promise<string | void> | string | void} work */
async function step(title, work) {
  const started = performance.now();
  let [result, detail] = ["ok", ""];
  try {
    detail = (await work()) ?? "";
  } catch (error) {
    [result, detail] = ["FAILED", String(error instanceof Error ? error.message : error)];
    process.exitCode = 1;
  }
  console.log(
    `${result.padEnd(7)} ${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${title}${detail === "" ? "" : `: ${detail}`}`,
  );
}

/** Setuid programs; each further one is a risk to consider. */
const SETUID = new Set([
  "chfn",
  "chsh",
  "gpasswd",
  "mount",
  "newgrp",
  "passwd",
  "su",
  "sudo",
  "umount",
  "dbus-daemon-launch-helper",
  "ssh-keysign",
  "ssh-agent",
  "chage",
  "expiry",
  "unix_chkpwd",
]);

await step("nothing of the building machine, nothing of one box", () => {
  const sources = readFileSync(join(root, "etc/apt/sources.list"), "utf8");
  check(!existsSync(join(root, "etc/apt/sources.list.d")), "more package sources than one file");
  for (const line of sources.trim().split("\n")) check(line.startsWith("deb http://deb.debian.org/"), line);
  check(statSync(join(root, "etc/machine-id")).size === 0, "a machine id");
  check(!readdirSync(join(root, "etc/ssh")).some((name) => name.startsWith("ssh_host_")), "ssh host keys");
  const shadow = readFileSync(join(root, "etc/shadow"), "utf8").trim().split("\n");
  for (const line of shadow) check(/^[^:]+:[!*]/.test(line), `a password: ${line.split(":")[0]}`);
});

await step("rights", () => {
  const found = execFileSync("find", [root, "-xdev", "-type", "f", "-perm", "/6000", "-printf", "%f\n"], {
    encoding: "utf8",
  })
    .split("\n")
    .filter(Boolean);
  const unknown = found.filter((name) => !SETUID.has(name));
  check(unknown.length === 0, `set-uid: ${unknown.join(", ")}`);
  const open = execFileSync(
    "find",
    [root, "-xdev", "!", "-type", "l", "-perm", "-0002", "!", "-perm", "-1000", "!", "-type", "c", "-printf", "%P\n"],
    {
      encoding: "utf8",
    },
  ).trim();
  check(open === "", `anybody may write: ${open.split("\n").slice(0, 5).join(", ")}`);
  check(lstatSync(join(root, "opt/gatehouse/current")).isSymbolicLink(), "no link to the version");
  return `${found.length} set-uid programs, all known`;
});

const box = new Container({ root, folder: values.scratch });
box.prepare();
writeFileSync(
  box.path("boot/gatehouse/gatehouse.toml"),
  `[system]\nhostname = "hill-house"\ntimezone = "Asia/Kolkata"\n[hub]\nclaim_code = "${CLAIM_CODE}"\ncolour = "red"\n`,
);
try {
  await step("boots to a hub that serves", async () => {
    await box.start();
    await box.until("systemctl is-active gatehouse.service", 180_000);
    const { status } = await fetch(`http://${box.address}/v1`);
    check(status < 500, `/v1 answers ${status}`);
  });
  await step("the settings file is applied, its mistake reported, its secret removed", () => {
    const { out } = box.run(
      "sh",
      "-c",
      "hostname; readlink /etc/localtime; cat /boot/gatehouse/gatehouse.result.txt /boot/gatehouse/gatehouse.applied.toml; ls /boot/gatehouse",
    );
    check(out.startsWith("hill-house\n/usr/share/zoneinfo/Asia/Kolkata\n"), out.slice(0, 60));
    check(out.includes("hub.colour is not a setting"), "the mistake is not reported");
    check(!out.includes(CLAIM_CODE), "the claim code is still there");
  });
  await step("claimed with the code of the file", async () => {
    const body = {
      code: CLAIM_CODE,
      name: "Asha Rao",
      email: "asha@example.org",
      password: "correct horse battery staple",
    };
    const answer = await fetch(`http://${box.address}/api/claim`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    check(answer.status === 201, `${answer.status} ${await answer.text()}`);
  });
  await step("a hub that is killed comes back", async () => {
    box.run("systemctl", "kill", "-s", "KILL", "gatehouse.service");
    await box.until(
      "systemctl show gatehouse.service -p NRestarts | grep -q =1 && systemctl is-active gatehouse.service",
      120_000,
    );
    /** @type {{ claimed: boolean }} */
    const { claimed } = JSON.parse(await (await fetch(`http://${box.address}/api/claim`)).text());
    check(claimed === true, "its owner is gone");
  });
  await step("no unit failed", () => {
    // The firewall needs rights that a container has not.
    const failed = box
      .run("systemctl", "--failed", "--no-legend", "--plain")
      .out.split("\n")
      .map((line) => line.split(" ")[0])
      .filter((unit) => unit && unit !== "nftables.service"); // prettier-ignore
    check(failed.length === 0, failed.join(", "));
  });
} finally {
  await box.stop();
}
process.exit();
