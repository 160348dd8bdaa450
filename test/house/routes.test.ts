/** What the house is set to and who is home, over HTTP on a whole hub: roles, the switch, a removal. */
import t from "tap";
import { GOOD_PASSWORD } from "../support/access.ts";
import { startConsoleHub } from "../support/console-hub.ts";

interface ShownHouse {
  readonly mode: string;
  readonly by: string | null;
  readonly since: string | null;
  readonly persons: readonly {
    readonly id: number;
    readonly name: string;
    readonly you: boolean;
    readonly is: string | null;
    readonly by: string | null;
    readonly plate: string | null;
    readonly deviceId: string | null;
  }[];
}

const house = ({ body }: { readonly body: unknown }): ShownHouse => (body as { house: ShownHouse }).house;
const PLATE = "MH12AB1234";

t.test("the house over HTTP", async (t) => {
  const { hub, api, call, settings } = await startConsoleHub(t);
  const [owner] = house(await call("GET", "/api/house")).persons;
  const siteId = hub.access.accounts.household()?.id ?? 0;

  /** A person who joins by an invitation; answers their calls. */
  const join = async (name: string, role: string) => {
    const made = await call("POST", "/api/persons/invitations", { name, role });
    const { code } = made.body as { code: string };
    const email = `${name.toLowerCase()}@example.org`;
    const joined = await api.call("POST", "/api/join", { json: { code, name, email, password: GOOD_PASSWORD } });
    const cookie = String(joined.headers["set-cookie"]).split(";")[0] ?? "";
    return (method: string, path: string, json?: unknown) =>
      api.call(method, path, { headers: { Cookie: cookie }, ...(json === undefined ? {} : { json }) });
  };
  const ravi = await join("Ravi", "member");

  await t.test("anybody who may run scenes sets it; the feed says who", async (t) => {
    t.hasStrict(house(await call("GET", "/api/house")), { mode: "home", since: null, by: null });
    t.hasStrict(house(await ravi("PUT", "/api/house/mode", { mode: "away" })), { mode: "away", by: "Ravi" });
    t.equal((await ravi("PUT", "/api/house/mode", { mode: "party" })).status, 400);
    const { body } = await ravi("GET", "/api/overview");
    const overview = body as {
      house: { house: ShownHouse };
      activity: { activity: { events: { kind: string; title: string }[] } };
    };
    t.equal(overview.house.house.mode, "away");
    t.hasStrict(overview.activity.activity.events[0], { kind: "house.mode", title: "Ravi set the house to Away" });
    t.equal((await api.call("GET", "/api/house")).status, 401);
  });

  await t.test("a scene sets it too, and shows it only where it does", async (t) => {
    const made = await call("POST", "/api/scenes", { name: "Good night", actions: [], houseMode: "night" });
    const { scene } = made.body as { scene: { id: number; houseMode?: string } };
    t.equal(scene.houseMode, "night");
    await hub.scenes.scenes.activate(siteId, scene.id, "session:1");
    t.hasStrict(house(await call("GET", "/api/house")), { mode: "night", by: "Good night" });
    const edited = await call("PATCH", `/api/scenes/${scene.id}`, { houseMode: null });
    t.notOk("houseMode" in (edited.body as { scene: object }).scene, "the contract's shape");
  });

  await t.test("a member sees themselves, and others once an owner lets everybody see", async (t) => {
    await call("PUT", "/api/house/presence", { is: "home" });
    await ravi("PUT", "/api/house/presence", { is: "away" });
    t.same(
      house(await call("GET", "/api/house")).persons.map(({ name, is, you, by }) => [name, is, you, by]),
      [
        [owner?.name, "home", true, "hand"],
        ["Ravi", "away", false, "hand"],
      ],
    );
    t.same(
      house(await ravi("GET", "/api/house")).persons.map(({ name }) => name),
      ["Ravi"],
    );
    t.equal((await ravi("PUT", `/api/house/persons/${owner?.id}`, { plate: null, deviceId: null })).status, 403);
    await settings.change({ "house.shared": true });
    t.same(
      house(await ravi("GET", "/api/house")).persons.map(({ is }) => is),
      ["home", "away"],
    );
    await settings.change({ "house.shared": false });
  });

  await t.test("what tells of somebody is checked; what it says already counts and is no news", async (t) => {
    const path = `/api/house/persons/${owner?.id}`;
    const codeOf = async (body: object) =>
      ((await call("PUT", path, body)).body as { error?: { code: string } }).error?.code;
    t.equal(await codeOf({ plate: "!", deviceId: null }), "invalid_plate");
    t.equal(await codeOf({ plate: null, deviceId: "nobody" }), "unknown_device");
    await call("POST", "/api/devices", { id: "lamp", name: "Lamp", type: "light" });
    t.equal(await codeOf({ plate: null, deviceId: "lamp" }), "invalid_body", "a lamp does not say who is there");
    t.equal((await call("PUT", "/api/house/persons/99", { plate: null, deviceId: null })).status, 404);
    t.equal(await codeOf({ plate: "mh 12 ab 1234", deviceId: null }), undefined);
    t.equal(house(await call("GET", "/api/house")).persons[0]?.plate, PLATE);
  });

  await t.test("one person sets it only so often, others still may", async (t) => {
    const answers: number[] = [];
    for (let n = 0; n < 40; n++)
      answers.push((await ravi("PUT", "/api/house/mode", { mode: n % 2 === 0 ? "away" : "home" })).status);
    t.ok(answers.includes(429), "more than anybody needs");
    t.equal((await call("PUT", "/api/house/mode", { mode: "night" })).status, 200);
  });

  await t.test("whose access has ended is neither home nor away, until it is given again", async (t) => {
    const id = house(await ravi("GET", "/api/house")).persons[0]?.id;
    const names = async () => house(await call("GET", "/api/house")).persons.map(({ name }) => name);
    const until = Date.now() + 700;
    t.equal((await call("PATCH", `/api/persons/${id}`, { until: new Date(until).toISOString() })).status, 200);
    t.equal((await names()).length, 2);
    while (Date.now() <= until + 200) await new Promise((soon) => setTimeout(soon, 50));
    t.same(await names(), [owner?.name]);
    t.equal((await call("PATCH", `/api/persons/${id}`, { until: null })).status, 200);
    t.equal((await names()).length, 2);
  });

  await t.test("a person who is removed takes their presence along", async (t) => {
    const id = house(await call("GET", "/api/house")).persons.find(({ name }) => name === "Ravi")?.id;
    t.equal((await call("DELETE", `/api/persons/${id}`)).status, 200);
    t.same(
      house(await call("GET", "/api/house")).persons.map(({ id: one }) => one),
      [owner?.id],
    );
    t.equal(
      hub.base.database.raw.prepare("SELECT count(*) FROM presence_source WHERE account_id = ?").pluck().get(id),
      0,
    );
  });
});
