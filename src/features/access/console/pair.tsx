import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Card, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { CheckList, Group, TextField } from "../../../console/components/field.tsx";
import { NameField } from "../../../console/components/name-fields.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { Scope } from "../../../core/api/scopes.ts";

type App = AnswerTo<"POST", "/api/pairing/look">["pairing"];

/** A person approves an app that shows a code: the code is typed, or is behind the `#` of the app's link. */
export function PairPage() {
  const [code, setCode] = useState(decodeURIComponent(location.hash.slice(1)));
  const [app, setApp] = useState<App | null>(null);
  const [done, setDone] = useState<"approved" | "refused" | null>(null);
  const look = async (): Promise<void> =>
    setApp((await post("/api/pairing/look", { body: { userCode: code } })).pairing);
  const refuse = (): void =>
    void post("/api/pairing/deny", { body: { userCode: code } })
      .then(() => setDone("refused"))
      .catch(sayError);
  return (
    <>
      <PageHead title={t("pair.title")} subtitle={t("pair.text")} />
      {done !== null && <Notice tone={done === "approved" ? "good" : "warn"}>{t(`pair.${done}`)}</Notice>}
      {done === null && app === null && (
        <Card title={t("pair.which")}>
          <Form isPassing submit={t("pair.look")} send={look}>
            {(errors) => (
              <TextField
                label={t("pair.code")}
                hint={t("pair.codeHint")}
                value={code}
                onInput={setCode}
                error={errors.userCode}
                maxLength={40}
                required
              />
            )}
          </Form>
        </Card>
      )}
      {done === null && app !== null && (
        <Approve app={app} code={code} onDone={() => setDone("approved")} onRefuse={refuse} />
      )}
    </>
  );
}

function Approve({
  app,
  code,
  onDone,
  onRefuse,
}: {
  app: App;
  code: string;
  onDone: () => void;
  onRefuse: () => void;
}) {
  const [name, setName] = useState(app.name);
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(app.scopes));
  const send = async (): Promise<void> => {
    await post("/api/pairing/approve", {
      body: { userCode: code, name, scopes: app.scopes.filter((scope) => scopes.has(scope)) },
    });
    onDone();
  };
  return (
    <Card title={t("pair.asks", { name: app.name })}>
      <p class="soft">{t("pair.from", { address: app.address })}</p>
      <Form isPassing submit={t("pair.approve")} send={send} disabled={scopes.size === 0}>
        {(errors) => (
          <>
            <NameField hint={t("pair.nameHint")} value={name} onInput={setName} errors={errors} maxLength={80} />
            <Group legend={t("key.scopes")}>
              <CheckList
                options={app.scopes.map((scope) => ({ value: scope, label: scope, hint: t(`scope.${scope}`) }))}
                chosen={scopes}
                onChange={setScopes}
              />
              {errors.scopes !== undefined && <span class="error">{errors.scopes}</span>}
            </Group>
            {app.withheld.length > 0 && <p class="soft">{t("pair.withheld", { scopes: app.withheld.join(", ") })}</p>}
          </>
        )}
      </Form>
      <p class="soft">{t("pair.notYours")}</p>
      <Button look="danger" text={t("pair.refuse")} onClick={onRefuse} />
    </Card>
  );
}
