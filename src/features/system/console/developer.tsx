import { useEffect, useState } from "preact/hooks";
import { get, post, remove } from "../../../console/api.ts";
import { EnvironmentField } from "../../../console/components/account-fields.tsx";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm, Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckList, Group, TextField } from "../../../console/components/field.tsx";
import { NameField } from "../../../console/components/name-fields.tsx";
import { PageActions } from "../../../console/components/page-actions.tsx";
import { Secret } from "../../../console/components/secret.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { toldApart } from "../../../console/components/told-apart.ts";
import { momentOfField } from "../../../console/components/zone-time.ts";
import { ago, dateTime, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { ALL_SCOPES } from "../../../core/api/scopes.ts";
import { WebhooksCard } from "../../webhooks/console/webhooks.tsx";

type ApiKey = AnswerTo<"GET", "/api/keys">["keys"][number];

/** For people who write apps: keys, webhooks, the reference. */
export function DeveloperPage() {
  // Below a list that is not loaded yet, a button would move while somebody presses it.
  const [areKeysThere, setKeysThere] = useState(false);
  return (
    <>
      <PageHead title={t("nav.developer")} subtitle={t("more.developer")}>
        <PageActions
          others={[
            { text: t("pair.title"), icon: "plug", href: "/pair" },
            {
              text: t("dev.reference"),
              icon: "code",
              onClick: () => void window.open("/v1/docs", "_blank", "noreferrer"),
            },
          ]}
        />
      </PageHead>
      <KeysCard onThere={() => setKeysThere(true)} />
      {areKeysThere && <WebhooksCard />}
    </>
  );
}

/** `onThere`: the keys were loaded, or could not be. */
function KeysCard({ onThere }: { readonly onThere: () => void }) {
  const [keys, setKeys] = useState<readonly ApiKey[] | null>(null);
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const load = (): void => {
    void get("/api/keys")
      .then((answer) => setKeys(answer.keys))
      .catch(sayError)
      .finally(onThere);
  };
  useEffect(load, []);
  const rotate = async (key: ApiKey): Promise<void> => {
    try {
      setSecret((await post("/api/keys/{id}/rotate", { params: { id: key.id } })).secret);
      load();
    } catch (error) {
      sayError(error);
    }
  };
  const nameOf = toldApart(
    keys ?? [],
    ({ name }) => name,
    ({ prefix, lastFour }) => `${prefix}…${lastFour}`,
  );
  const words = { active: t("key.active"), expired: t("key.expired"), revoked: t("key.revoked") };
  return (
    <Card
      title={t("dev.keys")}
      action={<Button look="primary" icon="plus" text={t("key.add")} onClick={() => setAdding(true)} />}
    >
      {keys !== null && keys.length === 0 && <Empty icon="code" text={t("key.none")} />}
      <ul class="list tooled">
        {(keys ?? []).map((key) => (
          <li key={key.id}>
            <div class="grow">
              <p>
                <strong>{key.name}</strong> <span class="badge">{t(`env.${key.env}`)}</span>{" "}
                {key.person !== null && <span class="badge">{t("key.ofPerson", { name: key.person })}</span>}{" "}
                {key.status !== "active" && <span class="badge bad">{words[key.status]}</span>}
              </p>
              <p class="soft small">
                <code>{`${key.prefix}…${key.lastFour}`}</code> ·{" "}
                {key.scopes.length === ALL_SCOPES.length ? t("key.allScopes") : key.scopes.join(", ")}
              </p>
              <p class="soft small">
                {key.lastUsedAt === null ? t("key.neverUsed") : t("key.lastUsed", { ago: ago(key.lastUsedAt) })}
                {key.expiresAt !== null && ` · ${t("key.expires", { at: dateTime(key.expiresAt) })}`}
                {key.origins.length > 0 && ` · ${key.origins.join(", ")}`}
              </p>
            </div>
            {key.status === "active" && (
              <span class="row tools">
                <Button text={t("key.rotate")} onClick={() => void rotate(key)} />
                <Button look="danger" text={t("key.revoke")} onClick={() => setRevoking(key)} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {adding && (
        <AddKey
          onClose={() => setAdding(false)}
          onMade={(text) => {
            setAdding(false);
            setSecret(text);
            load();
          }}
        />
      )}
      {secret !== null && (
        <Secret title={t("key.madeTitle")} text={t("key.madeText")} secret={secret} onClose={() => setSecret(null)} />
      )}
      {revoking && (
        <Confirm
          title={t("key.revokeTitle", { name: nameOf(revoking) })}
          text={t("key.revokeText")}
          action={t("key.revoke")}
          danger
          onYes={async () => {
            await remove("/api/keys/{id}", { params: { id: revoking.id } });
            load();
          }}
          onClose={() => setRevoking(null)}
        />
      )}
    </Card>
  );
}

function AddKey({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const [name, setName] = useState("");
  const [env, setEnv] = useState<ApiKey["env"]>("live");
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(["devices:read"]));
  const [origins, setOrigins] = useState("");
  const [expires, setExpires] = useState("");
  const send = async (): Promise<void> => {
    const body = {
      name,
      env,
      scopes: ALL_SCOPES.filter((scope) => scopes.has(scope)),
      origins: origins.split(/[\s,]+/).filter((origin) => origin !== ""),
      expiresAt: expires === "" ? null : momentOfField(expires),
    };
    onMade((await post("/api/keys", { body })).secret);
  };
  return (
    <Dialog title={t("key.add")} onClose={onClose}>
      <Form submit={t("key.make")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <NameField hint={t("key.nameHint")} value={name} onInput={setName} errors={errors} maxLength={80} />
            <EnvironmentField value={env} onChange={setEnv} />
            <Group legend={t("key.scopes")}>
              <CheckList
                options={ALL_SCOPES.map((scope) => ({ value: scope, label: scope, hint: t(`scope.${scope}`) }))}
                chosen={scopes}
                onChange={setScopes}
              />
              {errors.scopes !== undefined && <span class="soft">{errors.scopes}</span>}
            </Group>
            <TextField
              label={t("key.origins")}
              hint={t("key.originsHint")}
              value={origins}
              onInput={setOrigins}
              error={errors.origins ?? errors["origins.0"]}
            />
            <TextField
              label={t("key.expiresAt")}
              type="datetime-local"
              value={expires}
              onInput={setExpires}
              error={errors.expiresAt}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
