// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of a set-up document are written so
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { GOOD_PASSWORD } from "../support/access.ts";
import { send } from "../support/api-client.ts";
import { gatehouse } from "../support/cli.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { RICH_HOUSEHOLD, RICH_VARIABLES } from "../support/household-document.ts";
import { testFolder } from "../support/test-folder.ts";

const parse = (text: string) => JSON.parse(text);

t.test("a rich household is exported as a document that recreates it on an empty hub", async (t) => {
  const folder = testFolder(t, { "vars.json": JSON.stringify(RICH_VARIABLES), first: {}, second: {} });
  const [first, second] = [join(folder, "first"), join(folder, "second")];
  const made = await gatehouse(first, ["provision", "-", "--vars", join(folder, "vars.json")], {
    input: JSON.stringify(RICH_HOUSEHOLD),
  });
  t.equal(made.code, 0, made.err);
  const { out: document, code, err } = await gatehouse(first, ["export"]);
  t.same([code, err], [0, ""]);
  t.hasStrict(parse(document), {
    account: { email: "owner@example.org", name: "Olga $${x}", password: "${OWNER_PASSWORD}" },
    site: { name: "Villa 0042", latitude: 18.5 },
    devices: [
      { id: "cam-1" },
      { id: "cam-2" },
      { id: "gate-1" },
      { id: "plug-1", favorite: true },
      { id: "shelly2-aabbccddeeff", password: null, from: { client: "old shellies", key: "aabbccddeeff" } },
    ],
    keys: [{ name: "App" }, { name: "App", expiresAt: "2035-01-01T00:00:00.000Z" }, { name: "All", scopes: "all" }],
    clients: [{ family: "tasmota" }, { family: "shelly2", also: ["shelly1"], username: "old shellies" }],
    cameras: [
      { deviceId: "cam-1" },
      {
        source: {
          url: "rtsp://viewer@192.168.1.9/live?token=${CAMERA_CAM_2_SECRET}",
          password: "${CAMERA_CAM_2_PASSWORD}",
        },
      },
    ],
    automations: [
      { action: { actions: [{ scene: "Good night" }, {}, { body: "It cost $7" }] } },
      { enabled: false, mode: "queued" },
    ],
    settings: {
      "discovery.name": "villa-0042",
      "telemetry.rawDays": 21,
      "backups.destinations": ["local", "usb:BACKUP"],
    },
    backups: { passphrase: "${BACKUP_PASSPHRASE}" },
  });
  for (const secret of [
    GOOD_PASSWORD,
    "secret-123",
    "pa$$ w/rd",
    "w%2Frd",
    "token=abc",
    "a long passphrase",
    "whsec_",
    "gth_live_",
  ])
    t.notOk(document.includes(secret), `${secret} stays in the hub`);
  t.notOk(/"(secret|id)": \d/.test(document), "no ids of this hub");

  const missing = await gatehouse(second, ["provision", "-", "--json"], { input: document });
  t.equal(missing.code, 1);
  t.same(
    parse(missing.err).error.details.map(({ field, code }: { field: string; code: string }) => [field, code]),
    [
      ["/account/password", "unset"],
      ["/cameras/1/source/url", "unset"],
      ["/cameras/1/source/password", "unset"],
      ["/backups/passphrase", "unset"],
    ],
    "each variable without a value, with its place",
  );
  const variables = {
    GH_OWNER_PASSWORD: GOOD_PASSWORD,
    GH_BACKUP_PASSPHRASE: "a long passphrase",
    GH_CAMERA_CAM_2_PASSWORD: "pa$$ w/rd",
    GH_CAMERA_CAM_2_SECRET: "abc",
  };
  const again = await gatehouse(second, ["provision", "-", "--env-prefix", "GH_"], { input: document, env: variables });
  t.equal(again.code, 0, again.err);
  t.equal((await gatehouse(second, ["export"])).out, document, "exactly");
  const third = await gatehouse(second, ["provision", "-", "--env-prefix", "GH_"], { input: document, env: variables });
  t.equal(parse(third.out).changed, false, third.out);
  t.match(third.err, /Nothing has changed/);
  const original = await gatehouse(first, ["provision", "-", "--env-prefix", "GH_"], {
    input: document,
    env: variables,
  });
  t.equal(parse(original.out).changed, false, "nor on the hub that it came from");
});

t.test("a running hub exports the same as a stopped one, and names what is left out", async (t) => {
  const { dataFolder, port } = await startConsoleHub(t, { claim: false });
  t.match(await gatehouse(dataFolder, ["export"]), { code: 1, err: /Nobody owns/ });
  const vars = join(dataFolder, "vars.json");
  writeFileSync(vars, JSON.stringify(RICH_VARIABLES));
  const made = await gatehouse(dataFolder, ["provision", "-", "--vars", vars], {
    input: JSON.stringify(RICH_HOUSEHOLD),
  });
  t.equal(made.code, 0, made.err);
  const [stopped, empty] = [join(dataFolder, "stopped"), join(dataFolder, "empty")];
  const other = await gatehouse(stopped, ["provision", "-", "--vars", vars], { input: JSON.stringify(RICH_HOUSEHOLD) });
  t.equal(other.code, 0, other.err);
  const document = (await gatehouse(dataFolder, ["export"])).out;
  const withoutMadeName = (text: string): string => text.replace(/"tasmota-\w{6}"/, '"tasmota-…"');
  t.equal(withoutMadeName(document), withoutMadeName((await gatehouse(stopped, ["export"])).out));

  const key = parse(made.out).keys[0].secret;
  t.equal((await send(port, "GET", "/v1/devices", { key })).body.devices.length, 5);
  t.equal((await gatehouse(dataFolder, ["devices", "remove", "plug-1"])).code, 0);
  t.equal((await gatehouse(dataFolder, ["devices", "remove", "cam-1"])).code, 0);
  const after = await gatehouse(dataFolder, ["export"]);
  t.match(after.err, /plate rule for .* is not in it: it is for a camera that is gone/);
  t.match(after.err, /"Night" is not in it: it names a device that is gone/);
  t.match(after.err, /"Good night" is in it without the devices that are gone/);
  const variables = [
    "OWNER_PASSWORD=correct horse battery",
    "BACKUP_PASSPHRASE=a long passphrase",
    "CAMERA_CAM_2_PASSWORD=p",
    "CAMERA_CAM_2_SECRET=s",
  ];
  const taken = await gatehouse(empty, ["provision", "-", ...variables.flatMap((one) => ["--var", one])], {
    input: after.out,
  });
  t.equal(taken.code, 0, taken.err);
});
