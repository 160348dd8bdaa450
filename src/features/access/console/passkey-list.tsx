import { useState } from "preact/hooks";
import { get, patch, remove } from "../../../console/api.ts";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Confirm, Dialog, Form } from "../../../console/components/dialog.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { Name } from "../../../console/components/name.tsx";
import { NameField } from "../../../console/components/name-fields.tsx";
import { say } from "../../../console/components/toast.tsx";
import { toldApart } from "../../../console/components/told-apart.ts";
import { ago, madeText, type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { browserHasPasskeys, makePasskey, NoPasskey } from "../../../console/passkey.ts";

type Passkey = AnswerTo<"GET", "/api/me/passkeys">["passkeys"][number];

type Place = AnswerTo<"GET", "/api/me/passkeys">["place"];
type Open = { readonly what: "add" } | { readonly what: "rename" | "remove"; readonly passkey: Passkey } | null;

/** Why a passkey cannot be made on this page. */
const WHY: Readonly<Record<Exclude<Place, "here">, TextKey>> = {
  plain: "passkey.plain",
  address: "passkey.address",
  name: "passkey.otherName",
};

/** The person's own passkeys: adding, renaming, removing; if none can be made here, why. */
export function PasskeyList() {
  const [list, load] = useLoaded(() => get("/api/me/passkeys"));
  const [open, setOpen] = useState<Open>(null);
  if (list === null) return null;
  const close = (): void => {
    setOpen(null);
    load();
  };
  const { place } = list;
  const nameOf = toldApart(
    list.passkeys,
    ({ name }) => name,
    ({ createdAt }) => madeText(createdAt),
  );
  return (
    <>
      <h3>{t("passkey.title")}</h3>
      <p class="soft small">{t("passkey.text")}</p>
      <ul class="list tooled">
        {list.passkeys.map((passkey) => (
          <li key={passkey.id}>
            <div class="grow">
              <p>
                <Name text={nameOf(passkey)} />
              </p>
              <p class="soft small">
                {passkey.host} ·{" "}
                {passkey.lastUsedAt === null
                  ? t("passkey.neverUsed")
                  : t("passkey.used", { ago: ago(passkey.lastUsedAt) })}
              </p>
            </div>
            <div class="tools">
              <Button text={t("passkey.rename")} onClick={() => setOpen({ what: "rename", passkey })} />
              <IconButton
                icon="trash"
                label={t("passkey.removeNamed", { name: nameOf(passkey) })}
                onClick={() => setOpen({ what: "remove", passkey })}
              />
            </div>
          </li>
        ))}
      </ul>
      {place !== "here" ? (
        <p class="soft small">{t(WHY[place])}</p>
      ) : browserHasPasskeys ? (
        <div class="row">
          <Button text={t("passkey.add")} onClick={() => setOpen({ what: "add" })} />
        </div>
      ) : (
        <p class="soft small">{t("passkey.browser")}</p>
      )}
      {open?.what === "add" && <Add onClose={close} />}
      {open?.what === "rename" && <Rename passkey={open.passkey} onClose={close} />}
      {open?.what === "remove" && (
        <Confirm
          title={t("passkey.removeNamed", { name: nameOf(open.passkey) })}
          text={t("passkey.removeText")}
          action={t("passkey.remove")}
          danger
          onYes={() => remove("/api/me/passkeys/{id}", { params: { id: open.passkey.id } })}
          onClose={close}
        />
      )}
    </>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [wrong, setWrong] = useState<string>();
  const send = async (): Promise<void> => {
    setWrong(undefined);
    try {
      await makePasskey(name);
    } catch (error) {
      if (!(error instanceof NoPasskey)) throw error;
      setWrong(error.message);
      return;
    }
    say(t("passkey.added"));
    onClose();
  };
  return (
    <Dialog title={t("passkey.add")} onClose={onClose}>
      <p>{t("passkey.addText", { host: location.hostname })}</p>
      <Form submit={t("passkey.make")} send={send} onCancel={onClose}>
        {(errors) => (
          <NameField
            label={t("passkey.name")}
            hint={t("passkey.nameHint")}
            value={name}
            onInput={setName}
            errors={wrong === undefined ? errors : { name: wrong }}
            maxLength={80}
          />
        )}
      </Form>
    </Dialog>
  );
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  const send = async (): Promise<void> => {
    await patch("/api/me/passkeys/{id}", { params: { id: passkey.id }, body: { name } });
    onClose();
  };
  return (
    <Dialog title={t("passkey.rename")} onClose={onClose}>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <NameField label={t("passkey.name")} value={name} onInput={setName} errors={errors} maxLength={80} />
        )}
      </Form>
    </Dialog>
  );
}
