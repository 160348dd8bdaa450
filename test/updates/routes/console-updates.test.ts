import t from "tap";
import { startConsoleHub } from "../../support/console-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

t.test("a hub that its owner runs from a checkout reports that it is not updated from within", async (t) => {
  const { call } = await startConsoleHub(t);
  t.hasStrict(await call("GET", "/api/updates"), {
    status: 200,
    body: { updates: { managed: false, canRollBack: false, state: { phase: "none" }, found: [] } },
  });
  t.equal((await call("POST", "/api/updates", { file: "/etc/passwd" })).status, 404, "only found updates can be named");
  t.equal((await call("POST", "/api/updates/rollback", {})).status, 409);
});

t.test("a managed hub refuses an invalid update", async (t) => {
  const { call } = await startConsoleHub(t, { env: { GATEHOUSE_UPDATE_STATE: testFolder(t) } });
  const opened = await call("POST", "/api/uploads", { kind: "update", bytes: 4 });
  const { upload } = opened.body as { upload: { id: string } }; // checked against the OpenAPI file
  t.match(await call("POST", "/api/updates", { uploadId: upload.id }), {
    status: 409,
    body: { error: { message: /Only 0 of 4/ } },
  });
});

t.test("writes to the card are reported by cause", async (t) => {
  const { call } = await startConsoleHub(t);
  const { status, body } = await call("GET", "/api/storage/wear");
  t.equal(status, 200);
  t.match(body, {
    wear: {
      today: [{ cause: "database" }, { cause: "pictures" }, { cause: "backups" }],
      lifetimeYears: null,
      budgetBytes: 400_000_000,
    },
  });
  t.match((await call("GET", "/api/health")).body, { checks: [] });
  const codes = ((await call("GET", "/api/health")).body as { checks: { code: string }[] }).checks.map(
    ({ code }) => code,
  ); // checked against the OpenAPI file
  for (const code of ["backup-missing", "backup-rehearsal", "card-errors", "card-wear", "power"])
    t.ok(codes.includes(code), code);
});
