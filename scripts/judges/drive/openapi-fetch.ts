/** openapi-typescript and openapi-fetch: every operation of the contract, and what is beyond it, by types alone. */
import createClient from "openapi-fetch";
import type { components, paths } from "../generated/openapi-typescript.js";
import { type Drive, Unexpected } from "./drive.js";

type Rule = components["schemas"]["AutomationInput"];
type Condition = components["schemas"]["AutomationCondition"];

/** What was read may be written: defaults are not mandatory, an operator takes its own kind of value. */
const RULE: Rule = {
  name: "Kitchen off",
  trigger: { type: "time", at: "23:00" },
  action: { type: "notify", title: "Night", body: "" },
};
const CONDITIONS: Condition[] = [
  { type: "state", deviceId: "plug", field: "power", op: "truthy" },
  { type: "state", deviceId: "plug", field: "watts", op: "gt", value: 5 },
  { type: "not", condition: { type: "state", deviceId: "plug", field: "mode", op: "in", value: ["a", "b"] } },
];
// @ts-expect-error `truthy` takes no value
const WITH_VALUE: Condition = { type: "state", deviceId: "plug", field: "power", op: "truthy", value: 1 };
// @ts-expect-error `gt` takes a number
const WITH_TEXT: Condition = { type: "state", deviceId: "plug", field: "watts", op: "gt", value: "5" };
// @ts-expect-error `in` takes a list
const WITH_NUMBER: Condition = { type: "state", deviceId: "plug", field: "watts", op: "in", value: 5 };

/** Calls them all; answers how many. */
export async function drive({ url, key, plug }: Drive): Promise<number> {
  const hub = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
  let calls = 0;
  const ok = async <Data>(
    work: Promise<{ data?: Data; error?: unknown; response: Response }>,
  ): Promise<{ data: Data; response: Response }> => {
    const { data, error, response } = await work;
    calls += 1;
    if (data === undefined) throw new Unexpected(response, error);
    return { data, response };
  };
  const index = await ok(hub.GET("/v1"));
  if (index.data.webhookEvents.length < 4) throw new Error("GET /v1 lists no events");
  await ok(hub.GET("/v1/me"));
  await ok(hub.GET("/v1/devices", { params: { query: { type: "smart-plug" } } }));
  const id = plug;
  const device = await ok(hub.GET("/v1/devices/{id}", { params: { path: { id } } }));
  const etag = device.response.headers.get("etag") ?? "";
  const seen = await hub.GET("/v1/devices/{id}", { params: { path: { id }, header: { "If-None-Match": etag } } });
  if (seen.response.status !== 304) throw new Unexpected(seen.response, seen.error);
  await ok(
    hub.PATCH("/v1/devices/{id}", {
      params: { path: { id }, header: { "If-Match": etag } },
      body: { favorite: true, room: "Kitchen" },
    }),
  );
  const header = { "Idempotency-Key": crypto.randomUUID() };
  const sent = await ok(
    hub.POST("/v1/devices/{id}/commands", { params: { path: { id }, header }, body: { power: true } }),
  );
  if (!sent.data.accepted || sent.data.commandId === undefined) throw new Error("not accepted");
  await ok(hub.GET("/v1/commands/{id}", { params: { path: { id: sent.data.commandId } } }));
  const samples = await ok(hub.GET("/v1/devices/{id}/telemetry", { params: { path: { id }, query: { limit: 2 } } }));
  const next = /[?&]cursor=([^&>]+)/.exec(samples.response.headers.get("link") ?? "")?.[1];
  if (next !== undefined)
    await ok(hub.GET("/v1/devices/{id}/telemetry", { params: { path: { id }, query: { limit: 2, cursor: next } } }));
  await ok(hub.GET("/v1/devices/{id}/energy", { params: { path: { id } } }));
  await ok(hub.GET("/v1/devices/{id}/history", { params: { path: { id }, query: { metric: "watts", points: 96 } } }));
  await ok(hub.GET("/v1/rooms"));
  const scenes = await ok(hub.GET("/v1/scenes"));
  const [scene] = scenes.data.scenes;
  if (scene === undefined) throw new Error("no scene");
  await ok(hub.POST("/v1/scenes/{id}/activate", { params: { path: { id: scene.id } } }));

  const made = await ok(hub.POST("/v1/automations", { body: RULE }));
  if (made.response.headers.get("location") !== `/v1/automations/${made.data.automation.id}`)
    throw new Error("no Location");
  const rules = await ok(hub.GET("/v1/automations"));
  const rule = rules.data.automations.find((one) => one.id === made.data.automation.id);
  if (rule === undefined) throw new Error("the rule is not listed");
  const path = { id: rule.id };
  const conditions: Condition[] = CONDITIONS.map(
    (one) => JSON.parse(JSON.stringify(one).replaceAll('"plug"', JSON.stringify(plug))) as Condition,
  );
  const back = await ok(
    hub.PATCH("/v1/automations/{id}", {
      params: { path, header: { "If-Match": rule.etag } },
      body: { ...rule, name: "Renamed", conditions },
    }),
  );
  if (back.data.automation.name !== "Renamed") throw new Error("a rule that was read cannot be sent back");
  const stale = await hub.PATCH("/v1/automations/{id}", {
    params: { path, header: { "If-Match": rule.etag } },
    body: { enabled: false },
  });
  if (stale.response.status !== 412) throw new Unexpected(stale.response, stale.error);
  await ok(hub.DELETE("/v1/automations/{id}", { params: { path } }));

  await ok(hub.GET("/v1/events", { params: { query: { limit: 5 } } }));
  const reads = await ok(hub.GET("/v1/plates", { params: { query: { limit: 5 } } }));
  const read = reads.data.plates.find(({ hasImage }) => hasImage);
  if (read === undefined) throw new Error("no plate read has a picture");
  const picture = await ok(hub.GET("/v1/plates/{id}/image", { params: { path: { id: read.id } }, parseAs: "blob" }));
  const blob: Blob = picture.data;
  if (blob.size < 1_000 || blob.type !== "image/jpeg")
    throw new Error(`the picture is ${blob.size} bytes of ${blob.type}`);
  const vehicles = await ok(hub.GET("/v1/vehicles"));
  await ok(hub.GET("/v1/vehicles/{plate}", { params: { path: { plate: vehicles.data.vehicles[0]?.plate ?? "" } } }));
  await ok(hub.GET("/v1/occupancy"));
  await ok(hub.GET("/v1/gate-questions"));
  // No vehicle waits.
  const params = { path: { id: "AAAAAAAAAAAAAAAAAAAAAA" } };
  for (const refused of [
    await hub.GET("/v1/gate-questions/{id}/image", { params, parseAs: "blob" }),
    await hub.POST("/v1/gate-questions/{id}/answer", { params, body: { open: false } }),
  ])
    if (refused.error?.error.code !== "not_found") throw new Unexpected(refused.response, refused.error);
  // This hub belongs to no estate.
  for (const refused of [
    await hub.GET("/v1/estate/plates", { params: { query: { limit: 1 } } }),
    await hub.GET("/v1/estate/occupancy"),
    await hub.GET("/v1/estate/vehicles/{plate}", { params: { path: { plate: "MH12AB1234" } } }),
  ])
    if (refused.error?.error.code !== "not_found") throw new Unexpected(refused.response, refused.error);
  const file = await ok(hub.GET("/v1/devices/{id}/telemetry.csv", { params: { path: { id: plug } }, parseAs: "text" }));
  if (!file.data.includes("time,device,metric,value")) throw new Error("the samples have no heading");
  const scraped = await hub.GET("/v1/telemetry/metrics", { parseAs: "text" }); // off until an owner switches it on
  if (scraped.error?.error.code !== "not_found") throw new Unexpected(scraped.response, scraped.error);
  await ok(hub.GET("/v1/plate-rules"));
  const allowed = await ok(
    hub.POST("/v1/plate-rules", { body: { plate: "KA01ZZ9999", kind: "allow", label: "Judge" } }),
  );
  await ok(hub.DELETE("/v1/plate-rules/{id}", { params: { path: { id: allowed.data.rule.id } } }));
  await ok(hub.GET("/v1/openapi.json"));
  await ok(hub.GET("/v1/docs", { parseAs: "text" }));
  const codes = await ok(hub.POST("/v1/pairing", { body: { client_name: "Judge", scope: "devices:read" } }));
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const early = await hub.POST("/v1/pairing/token", { body: { grant_type, device_code: codes.data.device_code } });
  if (early.error?.error.code !== "authorization_pending") throw new Unexpected(early.response, early.error);
  const stream = await hub.GET("/v1/stream", { parseAs: "stream" });
  if (!stream.response.ok) throw new Unexpected(stream.response, stream.error);
  await stream.data?.cancel();
  return calls + 5;
}

void [WITH_VALUE, WITH_TEXT, WITH_NUMBER];
