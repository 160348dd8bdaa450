/**
 * The shell blocks of the guides are run verbatim, against a hub and in a folder of their own; only names that a reader
 * has to fill in are filled in. A block that cannot run here has a reason: one that is in neither list fails.
 */
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

interface Block {
  /** `docs/gate.md: first line`. */
  readonly name: string;
  readonly text: string;
}

/** Every page for people, in any folder. */
function guides(): string[] {
  return [
    ...readdirSync(PROJECT_ROOT),
    ...["docs", "src", "firmware-bridge", "models", "systemd"].flatMap((folder) =>
      readdirSync(join(PROJECT_ROOT, folder), { recursive: true }).map((file) => `${folder}/${String(file)}`),
    ),
  ].filter((file) => file.endsWith(".md") && !file.endsWith(".hi.md")); // test/console/help.test.ts compares their commands
}

/** Every block of a guide that is marked as shell. One with a file name after the mark is that file, not commands. */
function shellBlocks(): Block[] {
  return guides().flatMap((file) =>
    [...readFileSync(join(PROJECT_ROOT, file), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = ""]) => ({
      name: `${file}: ${firstCommand(text)}`,
      text,
    })),
  );
}

function firstCommand(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "" && !candidate.startsWith("#")) ?? "";
  return line.split(/\s+#/)[0]?.trim() ?? "";
}

/** Blocks that cannot run in a test, and why. */
const NOT_HERE: Readonly<Record<string, string>> = {
  "README.md: npm start":
    "installs, builds and runs until it is stopped; this very test was started by the second line",
  'docs/client-guide.md: curl -N -H "Authorization: Bearer $KEY" "http://HUB:8080/v1/stream?types=device.state,device.online,device.offline"':
    "goes on until it is stopped; test/system/routes/stream.test.ts reads it",
  "docs/presented-plates.md: PLATES_DATA=PERMITTED python3 scripts/presented/render.py OUT --split test --seed 6 --genuine 640 --learning 0 --jobs 4":
    "needs a folder of permitted photographs; test/scripts/presented.test.ts runs the parts",
  "docs/presented-plates.md: node scripts/presented/read.mjs FOLDER":
    "needs a folder of recorded bursts; test/scripts/presented.test.ts runs the parts",
  "CONTRIBUTING.md: npm run dev": "the loop of work on the program; this test is part of it",
  "docs/judges.md: export SPECMATIC_GENERATIVE_TESTS=true MAX_TEST_REQUEST_COMBINATIONS=2 bearer=$KEY apiKey=$KEY":
    "needs Java and a judge of 80 MB, over minutes; scripts/judges.mjs runs the other judges",
  "docs/installer-guide.md: sha256sum -c gatehouse-VERSION-arm64.sha256": "writes a card",
  "docs/installer-guide.md: tar -xf gatehouse-VERSION-linux-arm64.tar":
    "installs as root; scripts/appliance-test.mjs does it",
  "docs/releases.md: tar -xf gatehouse-VERSION-linux-ARCH.tar": "needs a release; scripts/appliance-test.mjs makes one",
  "docs/releases.md: tar -xzOf payload.tar.gz ./sbom.cdx.json | cmp - gatehouse-VERSION-linux-ARCH.cdx.json":
    "needs a release",
  "docs/installer-guide.md: cd systemd/ansible":
    "needs boxes; test/scripts/ansible.test.ts runs the same playbooks into a scratch root",
  "docs/releases.md: git checkout vVERSION": "makes a release again, over minutes and from the registry",
  "docs/releases.md: openssl genpkey -algorithm ed25519 -out release.key": "makes a release and an image",
  "docs/estate.md: sudo apt install nats-server && sudo systemctl disable --now nats-server":
    "makes an estate as root, with a unit of systemd; test/estate/setup/estate.test.ts runs the same commands with servers of its own",
  "docs/estate.md: sudo gatehouse estate create palm-court --hub office --cluster nats1.example.org,nats2.example.org,nats3.example.org":
    "makes servers for three machines",
  'docs/estate.md: sudo gatehouse estate invite north --title "North gate" --part main':
    "joins two boxes as root; test/estate/setup/estate.test.ts does it",
  "docs/estate.md: sudo gatehouse estate list": "takes a hub out as root; test/estate/setup/estate.test.ts does it",
  "docs/sd-image.md: sudo scripts/build-image.sh --cache /var/cache/gatehouse-image --key release.pem":
    "builds an image as root",
};

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

function bash(script: string, folder: string, env: Readonly<Record<string, string>>): Promise<Outcome> {
  const child = spawn("bash", ["--norc", "-e", "-o", "pipefail", "-c", script], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  return new Promise((resolve) =>
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    }),
  );
}

const blocks = shellBlocks();
const rest = new Map(blocks.map((block) => [block.name, block.text]));
const take = (start: string): string => {
  const found = [...rest.keys()].find((name) => name.startsWith(start));
  const text = rest.get(found ?? "");
  if (found === undefined || text === undefined) throw new Error(`no block begins with ${start}`);
  rest.delete(found);
  return text;
};
const hasMosquitto = (await bash("command -v mosquitto_pub curl", ".", {})).code === 0;
const skip = hasMosquitto ? false : "mosquitto_pub or curl is not installed (Debian: mosquitto-clients, curl)";

t.test("devices and apps communicate with a hub as in the guides", { skip }, async (t) => {
  const { hub, owner: person } = await startOwnedHub(testFolder(t));
  const { body: device } = await person.call<{ password: string }>("POST", "/api/devices", {
    id: "plug-1",
    name: "Plug",
    type: "smart-plug",
  });
  const scopes = ["devices:read", "devices:control", "telemetry:read"];
  const { body: key } = await person.call<{ secret: string }>("POST", "/api/keys", {
    name: "App",
    env: "live",
    scopes,
  });
  /** A listener has subscribed before the next line runs, and ends with its first message. */
  const listen =
    "rm -f sub.log; { stdbuf -oL mosquitto_sub -d -C 1 -W 30 $1 | tee sub.log; } & for n in $(seq 300); do grep -q SUBACK sub.log && break; sleep 0.1; done 2> /dev/null";
  const filled = (text: string): string =>
    `${text
      .replaceAll("-h HUB", `-h 127.0.0.1 -p ${hub.mqttPort}`)
      .replaceAll("http://HUB:8080", hub.url)
      .replace(/\b(DEVICE_)?PASSWORD\b/g, device.password)
      .replaceAll("curl ", "curl --fail-with-body -sS -w '\\n' ")
      .replace(/mosquitto_sub (.*?)( &)?$/gm, listen.replace("$(", "$$("))}\n`;

  const readme = await bash(`${filled(take("README.md: mosquitto_pub"))}wait`, t.testdirName, { KEY: key.secret });
  t.equal(readme.code, 0, readme.output);
  t.match(
    readme.output,
    /"state":\{"power":true\}[\s\S]*"watts":12\.5[\s\S]*"accepted":true/,
    "read back, and accepted",
  );
  t.match(readme.output, /^\{"power":false\}$/m, "the device got the command");

  const protocol = filled(take("docs/device-protocol.md: mosquitto_pub"));
  const send = `curl -sS -w '\\n' -X POST -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"power":true}' ${hub.url}/v1/devices/plug-1/commands`;
  const tried = await bash(`${protocol}${send}\nwait`, t.testdirName, { KEY: key.secret });
  t.equal(tried.code, 0, tried.output);
  t.match(tried.output, /^\{"power":true\}$/m);

  const { body: camera } = await person.call<{ password: string }>("POST", "/api/devices", {
    id: "camera-gate",
    name: "Gate",
    type: "camera",
  });
  const photograph = join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-BR03AD2586.jpg");
  for (const frame of ["frame.jpg", "frame2.jpg"]) copyFileSync(photograph, join(t.testdirName, frame));
  const pictures = await bash(
    filled(take("docs/gate.md: curl -u camera-gate:")).replaceAll(device.password, camera.password),
    t.testdirName,
    {},
  );
  t.equal(pictures.code, 0, pictures.output);
  t.equal([...pictures.output.matchAll(/"captureId":\d+/g)].length, 2);
  await hub.stop();
});

t.test("a batch of cards is made and copied as in the guides", async (t) => {
  const csv = /```csv\n([\s\S]*?)```/.exec(readFileSync(join(PROJECT_ROOT, "docs/sd-image.md"), "utf8"))?.[1] ?? "";
  for (const guide of ["docs/sd-image.md", "docs/installer-guide.md"]) {
    const folder = testFolder(t, {
      "villas.csv": `${csv}${[3, 4, 5, 6, 7].map((n) => `villa-${n},10.0.7.1${n}/24,10.0.7.1\n`).join("")}`,
      "common.toml": '[system]\ntimezone = "Asia/Kolkata"\n',
    });
    mkdirSync(join(folder, "card"));
    const script = take(`${guide}: node scripts/image/batch.mjs`)
      .replaceAll("scripts/image", join(PROJECT_ROOT, "scripts/image"))
      .replaceAll("/media/you/GATEHOUSE", "card");
    const [make = "", ...copy] = script.trim().split("\n");
    const made = await bash(`node() { "${process.execPath}" "$@"; }\n${make}`, folder, {});
    t.match(made, { code: 0, output: /7 cards/ }, guide);
    // beside the card's settings, as in the guide
    writeFileSync(join(folder, "cards", "007-villa-7", "site.json"), "{}");
    const copied = await bash(`node() { "${process.execPath}" "$@"; }\n${copy.join("\n")}`, folder, {});
    t.match(copied, { code: 0 }, `${guide}: ${copied.output}`);
    t.same(readdirSync(join(folder, "card")).sort(), ["gatehouse.toml", "site.json"]);
  }
});

t.test("one document sets a hub up, is exported from it, and its state is read, as in the guide", async (t) => {
  const guide = readFileSync(join(PROJECT_ROOT, "docs/installer-guide.md"), "utf8");
  const document = /```json\n(\{"account"[\s\S]*?)```/.exec(guide)?.[1] ?? "";
  const folder = testFolder(t, {
    "villa.json": document,
    "villa-0042.json": JSON.stringify({
      OWNER_PASSWORD: "correct horse battery staple",
      LATITUDE: 18.5,
      LONGITUDE: 73.8,
    }),
  });
  const gatehouse = `gatehouse() { "${process.execPath}" "${join(PROJECT_ROOT, "scripts/gatehouse.mjs")}" "$@"; }\n`;
  const env = { GATEHOUSE_DATA: join(folder, "hub") };
  const provisioned = await bash(
    gatehouse + take("docs/installer-guide.md: gatehouse provision villa.json"),
    folder,
    env,
  );
  t.match(provisioned, { code: 0, output: /\d made/ }, provisioned.output);
  t.match(provisioned.output, /Nothing has changed: the hub is as the document says/);
  t.match(JSON.parse(readFileSync(join(folder, "made-0042.json"), "utf8")), {
    changed: true,
    site: { name: /^Villa 0042$/ },
    keys: [{ secret: String }],
  });
  const exported = await bash(gatehouse + take("docs/installer-guide.md: gatehouse export"), folder, env);
  t.match(exported, { code: 0 }, exported.output);
  t.hasStrict(JSON.parse(readFileSync(join(folder, "villa-as-it-is.json"), "utf8")), {
    devices: [{ id: "gate-0042" }],
  });

  const hub = await startHubProcess(env.GATEHOUSE_DATA);
  writeFileSync(join(folder, "hosts.toml"), `[hosts.villa-42]\nurl = "${hub.url}"\n`);
  const [status = "", ...more] = take("docs/installer-guide.md: gatehouse fleet status").trim().split("\n");
  const asked = await bash(`${gatehouse}${status}\n${more.join("\n").replace("--strict ", "")}`, folder, env);
  t.match(asked, { code: 0, output: /villa-42 +(ok|degraded)[\s\S]*"counts"/ }, asked.output);
  await hub.stop();
});

t.test("shell is marked as sh, so that no block is skipped", async (t) => {
  t.ok(guides().length > 20, `${guides().length} guides`);
  for (const file of guides())
    t.notMatch(readFileSync(join(PROJECT_ROOT, file), "utf8"), /^```(?:bash|shell|console|zsh)$/m, file);
});

t.test("every other block has a reason why it is not run here, and every reason has its block", async (t) => {
  if (hasMosquitto) t.same([...rest.keys()].sort(), Object.keys(NOT_HERE).sort());
  t.ok(blocks.length > 10, `${blocks.length} blocks`);
});
