import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const cookie = await hub.cookie();
await hub.device("plug");
const own = `http://127.0.0.1:${hub.server.port}`;
const command = (headers: Record<string, string>) =>
  hub.api.post("/v1/devices/plug/commands", { json: { power: true }, headers: { Cookie: cookie, ...headers } });

t.test("a session works from the hub's own pages and without a browser", async (t) => {
  const passing: Record<string, string>[] = [
    {},
    { Origin: own },
    { "Sec-Fetch-Site": "same-origin", Origin: own },
    { "Sec-Fetch-Site": "none" },
  ];
  for (const headers of passing) t.equal((await command(headers)).status, 202, JSON.stringify(headers));
});

t.test("other sites' pages cannot use it, whatever headers they send", async (t) => {
  const refused: Record<string, string>[] = [
    { Origin: "https://evil.example.org" },
    { Origin: "null" },
    { Origin: `${own}.evil.example.org` },
    { Origin: "http://127.0.0.1:1" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site", Origin: own },
  ];
  for (const headers of refused) {
    const { status, body } = await command(headers);
    t.hasStrict(
      { status, code: body.error.code },
      { status: 403, code: "origin_not_allowed" },
      JSON.stringify(headers),
    );
  }
  t.equal(hub.devices.published.length, 4, "nothing more was sent");
});

t.test("an ended session is reported as such", async (t) => {
  t.hasStrict((await command({ Cookie: "gatehouse_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })).body.error, {
    code: "invalid_credential",
  });
});
