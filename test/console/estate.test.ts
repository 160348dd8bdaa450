/**
 * The manager's page of an estate: all gates with their state, who is inside, the reads of all, and opening a remote
 * gate. A real hub, server and browser; the other hubs are simulated over the server.
 */
import { jetstream } from "@nats-io/jetstream";
import { connect, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import t, { type Test } from "tap";
import { estateNames, hubSubjects, inboxPrefix } from "../../src/features/estate/names.ts";
import { plateTokens } from "../../src/features/estate/plate-token.ts";
import { gatehouse } from "../support/cli.ts";
import { TestEstate } from "../support/estate-hub.ts";
import { eventually } from "../support/hub-process.ts";
import { NO_NATS } from "../support/nats.ts";
import { testFolder } from "../support/test-folder.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, follow, settled, startOwnedStage } from "./stage.ts";

t.setTimeout(120_000);
const ESTATE = TestEstate.NAME;
const HEARTBEAT_MS = 2_000;
const MANY = Array.from({ length: 38 }, (_, n) => `lane-${n + 1}`);

t.test("the manager's page", { skip: cannotBrowse || NO_NATS }, async (t) => {
  const folder = testFolder(t);
  const estate = await TestEstate.open(t, ["office", "north", "south", ...MANY]);
  estate.join(folder, "office", { role: "manager" });
  const stage = await startOwnedStage(folder);
  t.teardown(stage.stop);
  const { desktop, phone } = stage.pages;
  const north = await playHub(t, estate, "north", {
    name: "North gate",
    gates: [{ deviceId: "barrier", name: "Barrier" }],
  });
  await playHub(t, estate, "south", {
    name: "South gate with a name that somebody has given much thought to",
    part: "basement",
    gates: [],
  });
  const token = plateTokens(estate.plateKey)("MH12AB1234");
  await jetstream(north).publish(hubSubjects(ESTATE, "north").read(token, 1), JSON.stringify(readOf(Date.now())));

  await t.test("all gates, who is inside, and the reads", async (t) => {
    await desktop.goto("/gate");
    await desktop.getByRole("link", { name: "Estate", exact: true }).click();
    await desktop.getByRole("heading", { level: 3, name: "North gate" }).waitFor();
    await desktop.getByText("Connected; this hub has everything that the estate has.").waitFor();
    await desktop.getByText("MH 12 AB 1234").first().waitFor();
    await desktop.getByRole("button", { name: "Show vehicles" }).click();
    await desktop.getByRole("button", { name: "Hide vehicles" }).waitFor();
    await desktop.getByText("In main").waitFor();
    t.equal(await desktop.getByText("MH 12 AB 1234").count(), 3, "it is inside, among all vehicles, and in the reads");
    t.match(
      await gatehouse(folder, ["estate", "list"]),
      { code: 0, out: /north +North gate +main +gate +online/ },
      "the command line agrees",
    );
  });

  await t.test("two thousand vehicles are paged, and one of them is found", async (t) => {
    const js = jetstream(north);
    const at = Date.now() - 3_600_000;
    for (let from = 0; from < 2_000; from += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, n) => {
          const plate = `KA01AB${1_000 + from + n}`;
          const read = { ...readOf(at), uid: 10 + from + n, plate, formatted: `KA 01 AB ${1_000 + from + n}` };
          return js.publish(
            hubSubjects(ESTATE, "north").read(plateTokens(estate.plateKey)(plate), read.uid),
            JSON.stringify({ ...read, direction: "out" }),
          );
        }),
      );
    await eventually(async () => {
      const answer = await desktop.request.get("/api/estate/reads?plate=KA01AB2999");
      return ((await answer.json()) as { reads: unknown[] }).reads.length === 1 || undefined;
    });
    const card = desktop.getByRole("region", { name: "Vehicles", exact: true });
    const field = desktop.getByLabel("Find a plate or name");
    await field.fill("2999"); // the last one in, and last in the list
    await card.getByText("KA 01 AB 2999").waitFor();
    await card.getByText("Last seen at North gate").waitFor();
    t.equal(await card.locator("li").count(), 1);
    await field.fill("ka01");
    await card.getByText("KA 01 AB 1019").waitFor();
    t.equal(await card.locator("li").count(), 20, "a page of them");
    await card.getByRole("button", { name: "Show more" }).click();
    await card.getByText("KA 01 AB 1039").waitFor();
    t.equal(await card.locator("li").count(), 40);
    await field.fill("no such car");
    await card.getByText("No vehicle matches.").waitFor();
  });

  await t.test("a part gets its name and places", async (t) => {
    await desktop.getByRole("button", { name: "Edit basement" }).click();
    await desktop.getByLabel("Name", { exact: true }).fill("Basement");
    const places = desktop.getByLabel("Places");
    await places.fill("4x");
    await desktop.getByText("A whole number, or nothing.").waitFor();
    await places.fill("40");
    await desktop.getByRole("button", { name: "Save" }).click();
    await desktop.getByRole("heading", { level: 3, name: "Basement" }).waitFor();
    await desktop.getByText("40 free").waitFor();
    t.pass();
  });

  await t.test("a remote gate is opened with a reason only", async (t) => {
    const asked: Record<string, unknown>[] = [];
    let answer = "sent";
    north.subscribe(hubSubjects(ESTATE, "*").open("north"), {
      callback: (_error, message) => {
        const order = message.json<{ id: string }>();
        asked.push({ ...order });
        north.publish(hubSubjects(ESTATE, "north").answer("office"), JSON.stringify({ id: order.id, answer }));
      },
    });
    await north.flush();
    const openIt = async (): Promise<void> => {
      await phone.getByRole("button", { name: "Open Barrier" }).click();
      t.ok(await phone.getByRole("button", { name: "Open now" }).isDisabled(), "not without a reason");
      await phone.getByLabel("Reason").pressSequentially("ambulance");
      await phone.getByRole("button", { name: "Open now" }).click();
    };
    await phone.goto("/gate/estate");
    await openIt();
    await phone.getByText("Barrier at North gate was told to open.").waitFor();
    t.match(asked, [{ deviceId: /^barrier$/, reason: /^ambulance$/, actor: /asha|person|account|session/i }]);
    answer = "forbidden";
    await openIt();
    await phone.getByText("The other hub does not open its gates for this one.").waitFor();
    await settled(phone);
    stage.problems.splice(0); // the intended refusal
  });

  await t.test("forty gates are found by name", async (t) => {
    for (const hub of MANY)
      await estate.putCard(hub, { name: `Lane ${hub.slice(5)}`, part: "main", role: "gate", version: "1", gates: [] });
    await desktop.getByText("41 hubs").waitFor();
    t.equal(await desktop.locator(".estate-hub").count(), 12, "a page does not list forty cards");
    await desktop.getByRole("button", { name: "Show all 41" }).waitFor();
    await desktop.getByLabel("Find a hub, gate or part").fill("lane 17");
    await desktop.getByRole("heading", { level: 3, name: "Lane 17" }).waitFor();
    t.equal(await desktop.locator(".estate-hub").count(), 1);
    t.equal(await desktop.getByText("Never heard since it joined.").count(), 1, "a silent one is named");
    await desktop.getByLabel("Find a hub, gate or part").fill("north");
  });

  await t.test("when disconnected, the page shows how old it is", async (t) => {
    await estate.server.stop();
    await desktop.getByText(/Cut off from the estate/).waitFor();
    t.ok(await desktop.getByRole("button", { name: "Open Barrier" }).isDisabled(), "it promises nothing");
    await estate.server.start();
    await desktop.getByText("Connected; this hub has everything that the estate has.").waitFor();
  });

  await t.test("on a phone and in Hindi nothing is wider than the page", async (t) => {
    for (const language of ["en", "hi"]) {
      await phone.evaluate(`localStorage.setItem("gatehouse.language", ${JSON.stringify(language)})`);
      await phone.goto("/");
      await follow(phone, "/gate/estate");
      await settled(phone);
      t.equal(await beyond(phone), 0, language);
    }
  });
  t.same(stage.problems, []);
});

/** A connected hub that announces itself. */
async function playHub(
  t: Test,
  estate: TestEstate,
  hub: string,
  { part = "main", ...card }: { readonly name: string; readonly part?: string; readonly gates: readonly object[] },
): Promise<NatsConnection> {
  const connection = await connect({
    port: estate.server.port,
    authenticator: nkeyAuthenticator(estate.seedOf(hub)),
    inboxPrefix: inboxPrefix(hub),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  await jetstream(connection).publish(
    `$KV.${estateNames(ESTATE).hubs}.${hub}`,
    JSON.stringify({ ...card, part, role: "gate", version: "1" }),
  );
  const beat = (): void =>
    connection.publish(hubSubjects(ESTATE, hub).health, JSON.stringify({ waiting: 0, behind: 0, clockOffMs: 0 }));
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  t.teardown(async () => {
    clearInterval(timer);
    await connection.close();
  });
  return connection;
}

function readOf(at: number): object {
  return {
    ...{
      uid: 1,
      version: 1,
      kind: 0,
      part: "main",
      plate: "MH12AB1234",
      formatted: "MH 12 AB 1234",
      deviceId: "cam",
      camera: "Lane in",
      direction: "in",
    },
    ...{ opensVisit: 1, decision: "allow", confidence: 96, label: "", at, lastAt: at },
  };
}
