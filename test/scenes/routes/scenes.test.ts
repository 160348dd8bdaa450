import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key();
await hub.device("plug");
await hub.device("lamp");
await hub.device("foreign", { siteId: hub.other.siteId });
const { scenes } = hub.devices;
const scene = await scenes.create(hub.home.siteId, {
  name: "Good night",
  actions: [
    { deviceId: "plug", command: { power: false } },
    { deviceId: "lamp", command: { power: true, brightness: 5 } },
  ],
});
const foreign = await scenes.create(hub.other.siteId, {
  name: "Theirs",
  actions: [{ deviceId: "foreign", command: {} }],
});

t.test("scenes are listed with their actions, only the account's own", async (t) => {
  const { body } = await api.get("/v1/scenes", { key });
  t.same(body.scenes, [
    { id: scene.id, name: "Good night", icon: null, actions: scene.actions, enabled: true, lastActivatedAt: null },
  ]);
});

t.test("activation sends the commands in order and needs no body", async (t) => {
  const { status, body } = await api.post(`/v1/scenes/${scene.id}/activate`, { key });
  t.match({ status, ...body }, { status: 202, accepted: true, scene: "Good night", sent: 2, skipped: [] });
  t.same(hub.devices.published, [
    { deviceId: "plug", payload: '{"power":false}' },
    { deviceId: "lamp", payload: '{"power":true,"brightness":5}' },
  ]);
  t.equal(
    (
      await api.post(`/v1/scenes/${scene.id}/activate`, {
        key,
        body: "anything",
        headers: { "Content-Type": "text/plain" },
      })
    ).status,
    202,
    "a body is ignored",
  );
});

t.test("removed devices are skipped and named", async (t) => {
  await hub.devices.registry.remove(hub.home.siteId, "lamp");
  const { status, body } = await api.post(`/v1/scenes/${scene.id}/activate`, { key });
  t.match({ status, ...body }, { status: 202, sent: 1, skipped: ["lamp"] });
});

t.test("a missing, foreign or invalid scene is the same 404", async (t) => {
  for (const id of [String(foreign.id), "999", "0", "-1", "abc", "1.0", "01", "99999999999999999999", "%31x"]) {
    const { status, body } = await api.post(`/v1/scenes/${id}/activate`, { key });
    t.match(
      { status, code: body.error.code, message: body.error.message },
      { status: 404, code: /^scene_not_found$/, message: "There is no such scene." },
      id,
    );
  }
});

t.test("a broker that accepts nothing is 503", async (t) => {
  hub.devices.deliver = async () => {
    throw new Error("closed");
  };
  t.hasStrict((await api.post(`/v1/scenes/${scene.id}/activate`, { key })).body.error, { code: "broker_unavailable" });
});
