import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

t.test("a key's requests are counted, and every response shows the remaining number", async (t) => {
  const hub = await ApiHub.open(testFolder(t), { rates: { requestsPerMinute: 60, requestBurst: 3 } });
  t.teardown(() => hub.close());
  const key = await hub.key();
  const first = await hub.api.get("/v1/devices", { key });
  t.match(first.headers, { "ratelimit-policy": '"key";q=60;w=60', ratelimit: '"key";r=2;t=0' });
  t.equal((await hub.api.get("/v1/nowhere-device", { key })).status, 404, "paths that do not exist cost nothing");
  t.match((await hub.api.get("/v1/devices/nobody", { key })).headers, { ratelimit: '"key";r=1;t=0' });
  await hub.api.get("/v1/devices", { key });
  const { status, headers, body } = await hub.api.get("/v1/devices", { key });
  t.match(
    { status, retry: headers["retry-after"], ...body.error },
    { status: 429, retry: "1", code: /^rate_limited$/, retryAfterSeconds: 1 },
  );
  t.equal((await hub.api.get("/v1/devices", { key: await hub.key() })).status, 200, "another key has its own");
  hub.clock.advance(1_000);
  t.equal((await hub.api.get("/v1/devices", { key })).status, 200, "a second later one more is available");
});

t.test("commands are limited per key, and per key and device", async (t) => {
  const hub = await ApiHub.open(testFolder(t), {
    rates: { commandsPerMinute: 60, commandBurst: 4, deviceCommandsPer10Seconds: 2 },
  });
  t.teardown(() => hub.close());
  const key = await hub.key();
  await hub.device("one");
  await hub.device("two");
  const send = async (id: string, with_ = key): Promise<string> => {
    const { status, body } = await hub.api.post(`/v1/devices/${id}/commands`, { key: with_, json: {} });
    return status === 202 ? "202" : `${status} ${body.error.limit}`;
  };
  t.same([await send("one"), await send("one"), await send("one")], ["202", "202", "429 device-commands"]);
  t.equal(await send("one", await hub.key()), "202", "one key's use does not reduce another's");
  t.equal(await send("two"), "202");
  t.equal(await send("two"), "429 commands");
  t.equal(hub.devices.published.length, 4);
});

t.test("scene activations and images have limits of their own", async (t) => {
  const hub = await ApiHub.open(testFolder(t), { rates: { scenesPerMinute: 1, imagesPerMinute: 1 } });
  t.teardown(() => hub.close());
  const key = await hub.key();
  t.equal((await hub.api.post("/v1/scenes/1/activate", { key })).status, 404);
  t.equal((await hub.api.post("/v1/scenes/1/activate", { key })).status, 429);
  t.equal((await hub.api.get("/v1/plates/1/image", { key })).status, 404);
  t.equal((await hub.api.get("/v1/plates/1/image", { key })).status, 429);
  t.equal((await hub.api.get("/v1/scenes", { key })).status, 200);
});

t.test("wrong keys from one address end in 429, and never lock a right one out", async (t) => {
  const hub = await ApiHub.open(testFolder(t), { rates: { failedCredentialsPerMinute: 2 } });
  t.teardown(() => hub.close());
  const wrong = async (): Promise<number> => (await hub.api.get("/v1/me", { key: "gth_live_wrong" })).status;
  t.same([await wrong(), await wrong(), await wrong()], [401, 401, 429]);
  t.equal((await hub.api.get("/v1/me")).status, 401, "a missing key does not count as a guess");
  t.equal((await hub.api.get("/v1/me", { key: await hub.key() })).status, 200);
});

t.test("0 switches a limit off, and its headers with it", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  t.equal((await hub.api.get("/v1/devices", { key: await hub.key() })).headers.ratelimit, undefined);
});
