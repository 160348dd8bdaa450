import { useState } from "preact/hooks";
import { get, remove } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { toldApart } from "../../../console/components/told-apart.ts";
import { ago, madeText, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { ALL_SCOPES } from "../../../core/api/scopes.ts";

type App = AnswerTo<"GET", "/api/apps">["apps"][number];

/** The apps that a person has paired (for an owner, all apps), each with a button to disconnect it. */
export function AppList() {
  const [apps, load] = useLoaded(async () => (await get("/api/apps")).apps);
  const [ending, setEnding] = useState<App | null>(null);
  if (apps === null) return null;
  const nameOf = toldApart(
    apps,
    ({ name }) => name,
    ({ createdAt }) => madeText(createdAt),
  );
  return (
    <>
      <h3>{t("apps.title")}</h3>
      {apps.length === 0 && <p class="soft small">{t("apps.none")}</p>}
      <ul class="list">
        {apps.map((app) => (
          <li key={app.id}>
            <div class="grow">
              <p>
                {nameOf(app)}{" "}
                {!app.mine && app.person !== null && (
                  <span class="badge">{t("key.ofPerson", { name: app.person })}</span>
                )}
              </p>
              <p class="soft small">
                {app.scopes.length === ALL_SCOPES.length ? t("key.allScopes") : app.scopes.join(", ")}
              </p>
              <p class="soft small">
                {app.lastUsedAt === null ? t("key.neverUsed") : t("key.lastUsed", { ago: ago(app.lastUsedAt) })}
              </p>
            </div>
            <Button
              look="plain"
              text={t("apps.end")}
              aria-label={t("apps.endNamed", { name: nameOf(app) })}
              onClick={() => setEnding(app)}
            />
          </li>
        ))}
      </ul>
      <a class="button" href="/pair">
        {t("pair.title")}
      </a>
      {ending !== null && (
        <Confirm
          title={t("apps.endTitle", { name: nameOf(ending) })}
          text={t("key.revokeText")}
          action={t("apps.end")}
          danger
          onYes={async () => {
            await remove("/api/apps/{id}", { params: { id: ending.id } });
            load();
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </>
  );
}
