/** Retention periods over HTTP: excess data waits with a notice, and is deleted on the owner's confirmation. */
import t from "tap";
import { startConsoleHub } from "../../support/console-hub.ts";
import { eventually } from "../../support/hub-process.ts";

const DAY = 86_400_000;

t.test(
  "data that would be too old at once is reported in health, list and feed, and deleted on the owner's confirmation",
  async (t) => {
    const { hub, call, api } = await startConsoleHub(t);
    const { raw } = hub.base.database;
    const site = hub.access.accounts.sites().find(({ env }) => env === "live")?.id ?? 0;
    const now = Date.now();
    raw.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
     INSERT INTO feed_item (site_id, device_id, kind, title, body, about_vehicles, read, at)
     SELECT ${site}, NULL, 'system.started', 'Started', '', 0, 0, ${now} - 100 * ${DAY} - i FROM n`,
    );
    raw.exec(
      `INSERT INTO audit (account_id, actor, action, target, detail, at) VALUES (NULL, 'hub', 'x', 'x', '{}', ${now} - 3000 * ${DAY})`,
    );
    const count = (): number =>
      (
        raw.prepare("SELECT count(*) AS n FROM feed_item WHERE title = 'Started' AND at < ?").get(now - 90 * DAY) as {
          n: number;
        }
      ).n;
    const health = async () =>
      ((await call("GET", "/api/health")).body as { checks: { code: string }[] }).checks.find(
        ({ code }) => code === "history",
      );
    t.match(await health(), { level: "ok" });

    t.hasStrict((await call("GET", "/api/history/due?setting=feed.days&days=200")).body, {
      due: [{ kind: "feed", count: 0 }],
    });
    t.hasStrict(
      (await call("GET", "/api/history/due?setting=feed.days&days=99")).body,
      { due: [{ kind: "feed", count: 1_000 }] },
      "before a setting is lowered",
    );
    t.hasStrict((await call("GET", "/api/history/due?setting=plates.readRetentionDays&days=7")).body, {
      due: [
        { kind: "visits", count: 0 },
        { kind: "reads", count: 0 },
      ],
    });
    t.same((await call("GET", "/api/history/due?setting=http.port&days=7")).body, { due: [] });
    t.equal(count(), 1_000, "asking changes nothing");

    await hub.system.history.ages.sweep();
    const left = count();
    t.ok(left >= 900 && left < 1_000, `${left} left`);
    t.match(await health(), {
      level: "degraded",
      text: new RegExp(`${left} lines of the activity list`),
      words: { code: /^history\.waiting$/, n: left },
    });
    const listed = (await call("GET", "/api/history")).body as {
      history: { kind: string; waiting: number; isBehind: boolean }[];
    };
    t.match(
      listed.history.filter(({ isBehind }) => isBehind),
      [{ kind: /^feed$/, setting: "feed.days", keepDays: 90, waiting: left }],
    );
    t.same(listed.history.map(({ kind }) => kind).sort(), [
      "audit",
      "feed",
      "openings",
      "pictures",
      "reads",
      "samples",
      "states",
      "sums",
      "visits",
    ]);
    t.equal(
      (raw.prepare("SELECT count(*) AS n FROM audit WHERE action = 'x'").get() as { n: number }).n,
      0,
      "one old line is simply deleted",
    );
    t.match(
      hub.feed.feed.list(site, { limit: 5 }).find(({ kind }) => kind === "system.storage"),
      { words: { code: /^aged\.feed$/, n: left } },
    );

    t.equal((await call("POST", "/api/history/allow", { kinds: ["nonsense"] })).status, 400);
    t.equal((await api.call("POST", "/api/history/allow", { json: { kinds: ["feed"] } })).status, 401);
    t.match((await call("POST", "/api/history/allow", { kinds: ["feed", "reads"] })).body, {
      allowed: [{ kind: /^feed$/, count: left }],
    });
    await eventually(() => (count() === 0 ? true : undefined));
    t.match(await health(), { level: "ok" });
    const { audit } = (await call("GET", "/api/audit?limit=5")).body as { audit: object[] };
    t.match(
      audit.find((line) => "action" in line && line.action === "history.allowed"),
      { target: "feed", detail: { count: left } },
    );
  },
);

t.test("lowering a setting counts as the household's confirmation", async (t) => {
  const { hub, call } = await startConsoleHub(t);
  const { raw } = hub.base.database;
  const site = hub.access.accounts.sites().find(({ env }) => env === "live")?.id ?? 0;
  const now = Date.now();
  raw.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
     INSERT INTO feed_item (site_id, device_id, kind, title, body, about_vehicles, read, at)
     SELECT ${site}, NULL, 'system.started', 'Started', '', 0, 0, ${now} - i * ${DAY} / 10 - ${DAY} FROM n`,
  );
  await hub.system.history.ages.sweep();
  const count = (): number =>
    (raw.prepare("SELECT count(*) AS n FROM feed_item WHERE title = 'Started'").get() as { n: number }).n;
  t.ok(count() >= 885, `${count()} are left: the oldest were deleted, as every day`);
  t.equal((await call("PATCH", "/api/settings", { settings: { "feed.days": 30 } })).status, 200);
  await hub.system.history.ages.sweep();
  t.ok(count() <= 295, `${count()} are left: everything older than thirty days was deleted at once`);
  const health = (await call("GET", "/api/health")).body as { checks: { code: string }[] };
  t.match(
    health.checks.find(({ code }) => code === "history"),
    { level: "ok" },
  );
});
