/** The units as shipped, on a booted system: systemd starts the hub, keeps it in its sandbox, and restarts it. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t from "tap";
import { bootBox } from "../support/booted-box.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually } from "../support/hub-process.ts";

t.setTimeout(280_000);
const BUNDLE = "build-hub";
const UNITS = join(PROJECT_ROOT, "systemd");
const PROJECT = "/opt/gatehouse/versions/0.0.0";
/** A busy machine boots slowly. */
const LIMIT_MS = 120_000;

/** Root's helpers that mount something: the rest, the hub above all, stays at 2.0 or below. */
const LOOSER = new Map([
  ["gatehouse-boot.service", 2.2],
  ["gatehouse-usb@.service", 4.2],
]);

/** What install.sh would put there, with the program as views of this project. */
function install(path: (inside: string) => string): void {
  for (const folder of [PROJECT, "etc/gatehouse", "var/lib/gatehouse", "boot/firmware", "etc/systemd/system"])
    mkdirSync(path(folder), { recursive: true });
  const tree = path("opt/gatehouse/current");
  mkdirSync(join(tree, "bin"), { recursive: true });
  writeFileSync(join(tree, "bin/node"), "");
  for (const name of ["scripts", "systemd", "package.json"]) symlinkSync(join(PROJECT, name), join(tree, name));
  symlinkSync(join(PROJECT, BUNDLE), join(tree, "build"));
  for (const unit of readdirSync(UNITS).filter((name) => /\.(service|path)$/.test(name)))
    cpSync(join(UNITS, unit), path(join("etc/systemd/system", unit)));
  // The stick's unit with another command: its mounts have to be visible to all.
  const stick = readFileSync(join(UNITS, "gatehouse-usb@.service"), "utf8").replace(
    /^(BindsTo|After|ExecStop)=.*\n/gm,
    "",
  );
  writeFileSync(
    path("etc/systemd/system/stick.service"),
    stick.replace(/^ExecStart=.*$/m, "ExecStart=/bin/sh -c 'readlink /proc/self/ns/mnt > /run/stick'"),
  );
  const wanted =
    "Requires=basic.target gatehouse.service gatehouse-update.path\nAfter=basic.target gatehouse.service\nAllowIsolate=yes\n";
  writeFileSync(path("etc/systemd/system/box.target"), `[Unit]\nDescription=The hub alone\n${wanted}`);
  writeFileSync(path("etc/gatehouse/gatehouse.env"), `GATEHOUSE_HTTP_PORT=80\nGATEHOUSE_RECOGNITION=false\n`);
  appendFileSync(path("etc/passwd"), "gatehouse:x:990:990::/var/lib/gatehouse:/usr/sbin/nologin\n");
  appendFileSync(path("etc/group"), "gatehouse:x:990:\n");
}

t.test("the hub under its units", async (t) => {
  const views = { [PROJECT_ROOT]: PROJECT, [realpathSync(process.execPath)]: "/opt/gatehouse/current/bin/node" };
  const box = await bootBox(t, { views, prepare: install, target: "box.target" });
  if (typeof box === "string") {
    t.pass(`skipped: ${box}`);
    return;
  }
  const property = (name: string): string => box.run(`systemctl show -p ${name} --value gatehouse.service`).out;
  const serves = (): string | undefined => {
    const { out } = box.run("curl -s -m 5 http://127.0.0.1/api/claim");
    return out.includes('"claimed"') ? out : undefined;
  };
  await eventually(() => serves(), LIMIT_MS).catch((error: unknown) =>
    t.fail(`${String(error)}\n${box.run("systemctl status gatehouse.service").out}`),
  );
  await eventually(() => property("ActiveState") === "active" || undefined, LIMIT_MS);
  t.pass("it has reported that it is ready");

  const pid = property("MainPID");
  const status = box.run(`cat /proc/${pid}/status`).out;
  t.match(status, /NoNewPrivs:\s1[\s\S]*Seccomp:\s2/);
  t.match(status, /Uid:\s990/);
  const asHub = (command: string): number | null =>
    box.run(
      `nsenter -t ${pid} -m setpriv --reuid 990 --regid 990 --clear-groups --no-new-privs sh -c '${command}' 2> /dev/null`,
    ).status;
  t.same(
    ["echo x > /etc/x", "echo x > /usr/x", "ls /root", "echo x > /var/lib/gatehouse/x && rm /var/lib/gatehouse/x"].map(
      (command) => asHub(command) === 0,
    ),
    [false, false, false, true],
    "its own state and nothing else",
  );
  for (const unit of readdirSync(UNITS).filter((name) => name.endsWith(".service"))) {
    const { out } = box.run(`systemd-analyze security ${unit.replace("@", "@sda1")} --no-pager | tail -n 1`);
    const [most, exposure] = [LOOSER.get(unit) ?? 2, Number(/: ([\d.]+) /.exec(out)?.[1])];
    t.ok(exposure <= most, `${unit}: exposure ${exposure} of at most ${most}, as systemd sees it`);
  }

  t.equal(box.run("systemctl start stick.service").status, 0);
  t.equal(
    box.run("cat /run/stick").out,
    box.run("readlink /proc/1/ns/mnt").out,
    "a stick is mounted for the whole host",
  );

  box.run(`kill -9 ${pid}`);
  await eventually(
    () => (property("MainPID") !== pid && property("NRestarts") === "1" ? serves() : undefined),
    LIMIT_MS,
  );
  t.pass("a killed hub restarts by itself");

  mkdirSync(box.path("var/lib/gatehouse/requests"), { recursive: true });
  writeFileSync(box.path("var/lib/gatehouse/requests/bundle.tar"), "no bundle");
  writeFileSync(box.path("var/lib/gatehouse/requests/update"), '{"kind":"install"}');
  const state = (): string => readFileSync(box.path("var/lib/gatehouse-update/state.json"), "utf8");
  await eventually(() => {
    try {
      return state().includes('"failed"') || undefined;
    } catch {
      return undefined;
    }
  }, LIMIT_MS);
  t.match(state(), /Nothing was changed/, "the hub's requests for root's part are picked up, and judged there");

  t.equal(box.run("systemctl stop gatehouse-update.path gatehouse.service").status, 0);
  t.same([property("Result"), property("ExecMainStatus")], ["success", "0"], "it ends in time, in order");
});
