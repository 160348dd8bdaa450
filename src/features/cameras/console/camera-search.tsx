import { useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { devices } from "../../../console/store.ts";
import { type Answering, choicesOf, type Finding } from "./camera-find-model.ts";

/** Cameras that answer on the network; the chosen one is asked for its addresses with the given sign-in. */
export function CameraSearch({ onFound }: { onFound: (finding: Finding) => void }) {
  const [answering, setAnswering] = useState<readonly Answering[] | null>(null);
  const [chosen, setChosen] = useState<{ address: string; name: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const search = async (): Promise<void> => {
    setBusy(true);
    try {
      setAnswering((await get("/api/cameras/discover")).cameras);
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  if (chosen !== null) return <AskCamera {...chosen} onFound={onFound} onBack={() => setChosen(null)} />;
  return (
    <Card title={t("find.search")}>
      <p class="soft small">{t("find.searchText")}</p>
      <Button
        look="primary"
        text={busy ? t("find.searching") : answering === null ? t("find.searchNow") : t("find.searchAgain")}
        disabled={busy}
        onClick={() => void search()}
      />
      <div role="status">
        {busy && answering === null && <p class="soft small">{t("find.takes")}</p>}
        {answering?.length === 0 && <p class="soft small">{t("find.nothing")}</p>}
        {answering !== null && answering.length > 0 && (
          <p class="soft small">{t("find.found", { n: answering.length })}</p>
        )}
      </div>
      {answering !== null && answering.length > 0 && (
        <ul class="list">
          {answering.map((camera) => (
            <FoundLine key={camera.endpoint} camera={camera} onChoose={setChosen} />
          ))}
        </ul>
      )}
      <details class="group">
        <summary>{t("find.byAddress")}</summary>
        <ByAddress onChoose={setChosen} />
      </details>
    </Card>
  );
}

function FoundLine({
  camera,
  onChoose,
}: {
  camera: Answering;
  onChoose: (chosen: { address: string; name: string }) => void;
}) {
  const name = camera.name ?? camera.hardware ?? camera.host;
  const known = camera.deviceIds.map((id) => devices.value.get(id)?.name ?? id).join(", ");
  return (
    <li>
      <Icon name="camera" />
      <div class="grow">
        <p>{name}</p>
        <p class="soft small">
          {[camera.hardware, camera.host].filter((part) => part !== null && part !== name).join(" · ")}
        </p>
        {known !== "" && <p class="soft small">{t("find.known", { names: known })}</p>}
      </div>
      <Button
        text={t("find.choose")}
        aria-label={t("find.chooseNamed", { name })}
        onClick={() => onChoose({ address: camera.address, name })}
      />
    </li>
  );
}

function ByAddress({ onChoose }: { onChoose: (chosen: { address: string; name: string }) => void }) {
  const [address, setAddress] = useState("");
  return (
    <Form
      isPassing
      submit={t("find.next")}
      disabled={address.trim() === ""}
      send={async () => onChoose({ address: address.trim(), name: address.trim() })}
    >
      {() => (
        <TextField
          label={t("find.address")}
          hint={t("find.addressHint")}
          inputMode="url"
          value={address}
          onInput={setAddress}
          maxLength={500}
        />
      )}
    </Form>
  );
}

function AskCamera({
  address,
  name,
  onFound,
  onBack,
}: {
  address: string;
  name: string;
  onFound: (finding: Finding) => void;
  onBack: () => void;
}) {
  const [user, setUser] = useState("admin");
  const [password, setPassword] = useState("");
  const ask = async (): Promise<void> => {
    const { camera } = await post("/api/cameras/inspect", { body: { address, user, password } });
    const model = [camera.maker, camera.model].filter((part) => part !== null).join(" ");
    const isNamed = name !== address;
    // If only a host was given, the camera's service has the usual path.
    const service = /^https?:\/\//.test(address) ? address : `http://${address}/onvif/device_service`;
    onFound({
      name: isNamed || model === "" ? name : model,
      choices: choicesOf(camera),
      motionAddress: camera.hasMotionEvents ? service : null,
    });
  };
  return (
    <Card title={name}>
      <p class="soft small">{t("find.signInText")}</p>
      <Form isPassing submit={t("find.ask")} send={ask} onCancel={onBack}>
        {(errors) => (
          <>
            <TextField label={t("devices.user")} value={user} onInput={setUser} error={errors.user} maxLength={64} />
            <PasswordField
              label={t("find.password")}
              value={password}
              onInput={setPassword}
              error={errors.password}
              maxLength={128}
            />
          </>
        )}
      </Form>
    </Card>
  );
}
