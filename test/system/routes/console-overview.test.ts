import t from "tap";
import { OVERVIEW } from "../../../src/features/system/api/console-overview.ts";
import { send } from "../../support/api-client.ts";
import { startConsoleHub } from "../../support/console-hub.ts";

t.test("the overview has the responses of the operations that it names, for an owner and a member", async (t) => {
  const { api, call, hub, port, cookie } = await startConsoleHub(t);
  await call("POST", "/api/devices", { id: "lamp", name: "Lamp", type: "smart-light", room: "Hall" });
  await call("POST", "/api/devices", { id: "meter", name: "Meter", type: "energy-meter" });
  await call("PUT", "/api/device-order", { ids: ["meter", "lamp"] });
  await call("POST", "/api/scenes", { name: "Evening", actions: [{ deviceId: "lamp", command: { power: true } }] });
  await call("PATCH", "/api/site", { capacity: 3 });
  const { access } = hub;
  const { database } = hub.base;
  const { code } = await access.persons.invite(
    access.accounts.owner()?.id ?? 0,
    { name: "Ravi", role: "member" },
    { accountId: access.accounts.owner()?.id ?? 0, actor: "cli" },
  );
  const from = { address: "192.168.1.20", userAgent: "test" };
  const ravi = { code, name: "Ravi", email: "ravi@example.org", password: "a quiet sentence about rain" };
  const { account } = await access.persons.join(ravi, from);
  const { token } = await database.write(() => access.sessions.open(account.id, from));
  for (const [who, Cookie] of [
    ["owner", cookie],
    ["member", `gatehouse_session=${token}`],
  ] as const) {
    const parts: Record<string, unknown> = {};
    for (const [name, { path }] of Object.entries(OVERVIEW))
      parts[name] = (await send(port, "GET", path, { headers: { Cookie } })).body;
    const { status, body } = await api.call("GET", "/api/overview", { headers: { Cookie } });
    t.equal(status, 200);
    const { facts, ...shown } = body;
    t.strictSame(shown, parts, who);
    const standing = await api.call("GET", "/api/standing", { headers: { Cookie } });
    t.equal(facts, standing.body.facts, "nothing has happened since");
    t.match(body, {
      deviceOrder: { ids: ["meter", "lamp"] },
      rooms: { rooms: [{ name: /^Hall$/ }] },
      scenes: { scenes: [{ name: /^Evening$/ }] },
      site: { site: { capacity: 3 } },
      occupancy: { capacity: 3 },
    });
  }
});

t.test("a browser asks for the overview, and Home shows its picture, before any script has run", async (t) => {
  const { hub, port, cookie } = await startConsoleHub(t);
  const page = async (path: string, Cookie: string): Promise<{ link: unknown; picture: string | undefined }> => {
    const { status, headers, bytes } = await send(port, "GET", path, { headers: { Accept: "text/html", Cookie } });
    t.equal(status, 200);
    return { link: headers.link, picture: /<img [^>]*>/.exec(bytes.toString())?.[0] };
  };
  const link = "</api/overview>; rel=preload; as=fetch; crossorigin=anonymous";
  t.strictSame(
    await page("/", "gatehouse_session=abc"),
    { link: undefined, picture: undefined },
    "nobody: it would be refused",
  );
  t.strictSame(await page("/", cookie), { link, picture: undefined }, "no picture yet");
  const siteId = hub.access.accounts.household()?.id;
  const { database } = hub.base;
  await database.write(() => {
    database.raw
      .prepare(
        `INSERT INTO plate_read (id, site_id, device_id, capture_id, plate, formatted, seen_text, plate_kind, confidence, votes, samples, status, decision, direction, opens_visit, trigger, at, last_at, stored_at)
         VALUES (900, ?, 'camera', 1, 'MH12AB1234', 'MH 12 AB 1234', 'MH12AB1234', 'standard', 90, 3, 3, 'recognised', 'allow', 'in', 0, 'motion', 1, 1, 1)`,
      )
      .run(siteId);
    database.raw.prepare("INSERT INTO plate_image (read_id, bytes, at) VALUES (900, 1, 1)").run();
  });
  const picture =
    '<img src="/v1/plates/900/image?sure=90" srcset="/api/reads/900/small?sure=90 640w, /v1/plates/900/image?sure=90 1280w" sizes="(max-width: 640px) 200px, 1120px" alt="" fetchpriority="high" />';
  t.strictSame(await page("/", cookie), { link, picture });
  t.strictSame(await page("/gate", cookie), { link, picture: undefined });
});
