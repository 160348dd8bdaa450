// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of a set-up document are written so
/**
 * The Ansible role, if Ansible is installed (Debian: ansible-core, ansible-lint): a release into a scratch root, and
 * the household of a real data folder.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t from "tap";
import { GOOD_PASSWORD } from "../support/access.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { release } from "../support/small-release.ts";
import { testFolder } from "../support/test-folder.ts";

const ANSIBLE = join(PROJECT_ROOT, "systemd/ansible");
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
const skip = has("ansible-playbook") ? false : "ansible-playbook is not installed (Debian: ansible-core)";
/** Ansible takes a second and more for each task. */
const long = skip || (process.env.GATEHOUSE_TEST_LONG === undefined ? "takes a minute: npm run test:long" : false);

t.test("the playbooks are well formed and lint finds nothing", { skip }, async (t) => {
  const play = spawnSync(
    "ansible-playbook",
    ["-i", "inventory.example.yml", "--syntax-check", "site.yml", "update.yml"],
    { cwd: ANSIBLE, encoding: "utf8" },
  );
  t.equal(play.status, 0, play.stdout + play.stderr);
  if (process.env.GATEHOUSE_TEST_LONG === undefined) return t.comment("ansible-lint takes long: npm run test:long");
  if (!has("ansible-lint")) return t.comment("ansible-lint is not installed");
  const lint = spawnSync("ansible-lint", ["--offline", "--nocolor"], { cwd: ANSIBLE, encoding: "utf8" });
  t.equal(lint.status, 0, lint.stdout + lint.stderr);
});

t.test(
  "installs, configures and sets a hub up; again changes nothing; check mode reports changes without making them",
  { skip: long },
  async (t) => {
    const folder = testFolder(t, { root: {}, hub: {} });
    writeFileSync(
      join(folder, "key"),
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
    );
    await release(folder, "1.0.0", join(folder, "key"));
    const document = {
      account: { email: "owner@example.org", name: "Owner of ${SERIAL}", password: "${OWNER_PASSWORD}" },
      site: { name: "Villa ${SERIAL}", latitude: "${LATITUDE}", longitude: 73.8 },
      devices: [{ id: "plug-${SERIAL}" }],
      keys: [{ name: "App", scopes: "all" }],
    };
    writeFileSync(join(folder, "villa.json"), JSON.stringify(document));
    writeFileSync(
      join(folder, "gatehouse"),
      `#!/bin/sh\nexec "${process.execPath}" "${join(PROJECT_ROOT, "scripts/gatehouse.mjs")}" "$@" --data "${join(folder, "hub")}"\n`,
    );
    chmodSync(join(folder, "gatehouse"), 0o755);
    const hosts = (env: object) => ({
      gatehouse: {
        hosts: { "villa-7": { ansible_connection: "local" } },
        vars: {
          gatehouse_become: false,
          gatehouse_release: join(folder, "gatehouse-1.0.0.tar"),
          gatehouse_root: join(folder, "root"),
          gatehouse_command: [join(folder, "gatehouse")],
          gatehouse_document: join(folder, "villa.json"),
          gatehouse_variables: { SERIAL: "0007", OWNER_PASSWORD: GOOD_PASSWORD, LATITUDE: 18.5 },
          gatehouse_made_folder: join(folder, "made"),
          gatehouse_env: env,
        },
      },
    });
    const play = (...args: string[]): { text: string; changed: number; failed: number } => {
      const { stdout, stderr } = spawnSync(
        "ansible-playbook",
        ["-i", join(folder, "inventory.json"), "site.yml", ...args],
        {
          cwd: ANSIBLE,
          encoding: "utf8",
          env: {
            PATH: process.env.PATH ?? "",
            HOME: folder,
            LC_ALL: "C.UTF-8",
            ANSIBLE_NOCOLOR: "1",
          },
        },
      );
      const [, changed = "-1", unreachable = "1", failed = "1"] =
        /changed=(\d+) +unreachable=(\d+) +failed=(\d+)/.exec(stdout) ?? [];
      return { text: stdout + stderr, changed: Number(changed), failed: Number(failed) + Number(unreachable) };
    };
    writeFileSync(join(folder, "inventory.json"), JSON.stringify(hosts({ GATEHOUSE_HTTP_PORT: 8080 })));
    const dry = play("--check");
    t.equal(dry.failed, 0, dry.text);
    t.ok(dry.changed >= 1, "it reports that something would change");
    t.notOk(existsSync(join(folder, "root/opt/gatehouse")) || existsSync(join(folder, "made")), "and changes nothing");

    const first = play();
    t.equal(first.failed, 0, first.text);
    t.ok(first.changed >= 3, first.text);
    t.equal(readlinkSync(join(folder, "root/opt/gatehouse/current")), "versions/1.0.0");
    t.match(readFileSync(join(folder, "root/etc/gatehouse/gatehouse.env"), "utf8"), /^GATEHOUSE_HTTP_PORT=8080$/m);
    const [made = "", ...more] = readdirSync(join(folder, "made"));
    t.same([made.startsWith("villa-7-"), more], [true, []]);
    t.equal(statSync(join(folder, "made", made)).mode & 0o777, 0o600);
    const result = JSON.parse(readFileSync(join(folder, "made", made), "utf8"));
    t.match(result, {
      site: { name: /^Villa 0007$/, latitude: 18.5 },
      devices: [{ id: /^plug-0007$/, password: String }],
      keys: [{ secret: /^gth_live_/ }],
    });
    t.notOk(
      first.text.includes(result.keys[0].secret) || first.text.includes(GOOD_PASSWORD),
      "no secret in Ansible's own output",
    );

    const second = play();
    t.same([second.changed, second.failed], [0, 0], second.text);
    t.equal(readdirSync(join(folder, "made")).length, 1);
    writeFileSync(join(folder, "villa.json"), JSON.stringify({ ...document, rooms: [{ name: "Kitchen" }] }));
    t.equal(play("--check").changed, 1, "one change is announced");
    writeFileSync(join(folder, "villa.json"), JSON.stringify({ ...document, rooms: [{ name: "${UNSET}" }] }));
    const wrong = play("-e", "gatehouse_quiet=false");
    t.equal(wrong.failed, 1);
    t.match(wrong.text, /\/rooms\/0\/name: the variable UNSET has no value/);
    execFileSync("rm", ["-rf", join(folder, "root")]);
  },
);

t.test("an update goes in waves, and ends with the first hub that goes back", { skip: long }, async (t) => {
  const folder = testFolder(t, { release: { "manifest.json": '{"version": "2.0.0"}' } });
  execFileSync("tar", ["-cf", join(folder, "release.tar"), "-C", join(folder, "release"), "manifest.json"]);
  // A healthy hub, also after an update that was rolled back: the rollback makes it healthy.
  const health = createServer((_, response) =>
    response.setHeader("content-type", "application/json").end('{"status": "ok"}'),
  ).listen(0, "127.0.0.1");
  if (!health.listening) await once(health, "listening");
  t.teardown(() => health.close());
  const names = ["first", "second", "third", "last"];
  const host = (name: string): object => {
    const root = join(folder, name);
    mkdirSync(join(root, "opt/gatehouse"), { recursive: true });
    symlinkSync("versions/1.0.0", join(root, "opt/gatehouse/current"));
    const [running, phase] = name === "second" ? ["1.0.0", "rolled-back"] : ["2.0.0", "committed"];
    writeFileSync(
      join(root, "gatehouse"),
      `#!/bin/sh\nif [ "$2" = status ]; then echo '{"running": "${running}", "phase": "${phase}", "text": "It does not start."}'; else cp "$2" "${root}/taken"; fi\n`,
    );
    chmodSync(join(root, "gatehouse"), 0o755);
    return {
      ansible_connection: "local",
      gatehouse_root: root,
      gatehouse_command: [join(root, "gatehouse")],
      gatehouse_update_file: join(root, "update.tar"),
    };
  };
  const vars = { gatehouse_become: false, gatehouse_update_delay: 1, gatehouse_release: join(folder, "release.tar") };
  const url = `http://127.0.0.1:${(health.address() as AddressInfo).port}/healthz`; // a TCP server's
  const inventory = {
    gatehouse: {
      hosts: Object.fromEntries(names.map((name) => [name, host(name)])),
      vars: { ...vars, gatehouse_health_url: url },
    },
  };
  writeFileSync(join(folder, "inventory.json"), JSON.stringify(inventory));
  const child = spawn("ansible-playbook", ["-i", join(folder, "inventory.json"), "update.yml"], {
    cwd: ANSIBLE,
    env: { PATH: process.env.PATH ?? "", HOME: folder, LC_ALL: "C.UTF-8", ANSIBLE_NOCOLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
  const [code] = await once(child, "close");
  t.not(code, 0, text);
  t.match(text, /It does not start\./);
  t.same(
    names.map((name) => existsSync(join(folder, name, "taken"))),
    [true, true, false, false],
    text,
  );
  t.notOk(existsSync(join(folder, "first/update.tar")), "the copy is removed");
});
