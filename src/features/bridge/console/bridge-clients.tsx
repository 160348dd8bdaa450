import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { NameField } from "../../../console/components/name-fields.tsx";
import { ShownOnce } from "../../../console/components/shown-once.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { type Device, devices } from "../../../console/store.ts";
import { callGate, isMover } from "../../gate/console/gate-devices.ts";
import { AfterGate } from "../../gate/console/set-up.tsx";
import { wantsGate } from "../../gate/console/set-up-path.ts";
import type { BridgeClient, BridgeFamily, MadeClient } from "./bridge-model.ts";

/** What stands for the device's own address in the lines to paste. */
const ADDRESS = "DEVICE-ADDRESS";
/** Devices that are named one by one; of a gateway with more, how many there are. */
const MOST_NAMED = 3;

/** Makes whose relays press the button of a gate's motor, the commonest first. */
const RELAYS = ["shelly2", "tasmota", "shelly1", "esphome", "homeassistant", "zigbee2mqtt", "openbeken"];

/** Makes in the order in which they are likely for a relay. */
function relaysFirst(families: readonly BridgeFamily[]): readonly BridgeFamily[] {
  const place = ({ name }: BridgeFamily): number => (RELAYS.includes(name) ? RELAYS.indexOf(name) : RELAYS.length);
  return families.toSorted((one, other) => place(one) - place(other));
}

/** A credential for a device of another make, before it connects for the first time. `isRelay`: for a gate's motor. */
export function AddOtherMake({
  families: known,
  isRelay,
  onClose,
  onMade,
}: {
  families: readonly BridgeFamily[];
  isRelay: boolean;
  onClose: () => void;
  onMade: (made: MadeClient) => void;
}) {
  const families = isRelay ? relaysFirst(known) : known;
  const [family, setFamily] = useState(families[0]?.name ?? "");
  const [name, setName] = useState(isRelay ? t("bridge.relayName") : "");
  const send = async (): Promise<void> => onMade(await post("/api/bridge/clients", { body: { family, name } }));
  return (
    <Dialog title={t(isRelay ? "addGate.relay" : "bridge.add")} onClose={onClose}>
      <p class="soft small">{t("bridge.addText")}</p>
      <Form submit={t("bridge.make")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <SelectField
              label={t("bridge.family")}
              value={family}
              onChange={setFamily}
              error={errors.family}
              options={families.map((one) => [one.name, one.label] as const)}
            />
            <NameField value={name} onInput={setName} errors={errors} maxLength={80} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** Accepts a waiting client; if the hub does not know its make, the person chooses it. */
export function AcceptClient({
  client,
  families,
  onClose,
}: {
  client: BridgeClient;
  families: readonly BridgeFamily[];
  onClose: () => void;
}) {
  const [name, setName] = useState(client.name);
  const readsPlates = (make: string | null): boolean => families.some((one) => one.name === make && one.readsPlates);
  // An owner trusts somebody's number plates by choosing the make, not by leaving what a message showed.
  const [family, setFamily] = useState(readsPlates(client.family) ? "" : (client.family ?? ""));
  const also = client.families.filter(
    (one) => one !== family && !readsPlates(one) && client.announces.some((device) => device.family === one),
  );
  const send = async (): Promise<void> => {
    await post("/api/bridge/clients/{id}/accept", {
      params: { id: client.id },
      body: { name, also, ...(family === "" ? {} : { family }) },
    });
    onClose();
  };
  return (
    <Dialog title={t("bridge.acceptTitle", { name: client.username })} onClose={onClose}>
      <p>{t("bridge.acceptText")}</p>
      <Form submit={t("bridge.accept")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <NameField value={name} onInput={setName} errors={errors} maxLength={80} />
            <SelectField
              label={t("bridge.family")}
              value={family}
              onChange={setFamily}
              error={errors.family}
              options={[["", t("bridge.notKnown")], ...families.map((one) => [one.name, one.label] as const)]}
            />
            <Abilities
              makes={family === "" ? also : [family, ...also]}
              devices={client.announces.map((device) => device.name)}
              families={families}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** A client's rights with these makes, in words, before and after it is accepted. */
export function Abilities({
  makes,
  devices,
  families,
}: {
  makes: readonly string[];
  devices: readonly string[];
  families: readonly BridgeFamily[];
}) {
  const labels = makes.map((make) => families.find(({ name }) => name === make)?.label ?? make);
  const chosen = families.filter(({ name }) => makes.includes(name));
  const gateway = chosen.find(({ isGateway }) => isGateway);
  if (makes.length === 0) return <Notice tone="warn">{t("bridge.mayNothing")}</Notice>;
  return (
    <ul class="plain small stack">
      <li>
        {devices.length === 0
          ? t("bridge.mayAnnounce", { makes: labels.join(", ") })
          : t("bridge.mayReport", { devices: devices.join(", "), makes: labels.join(", ") })}
      </li>
      {gateway && <li>{t("bridge.mayGateway", { topic: `${gateway.prefix ?? gateway.name}/…` })}</li>}
      <li>{t("bridge.mayNotCommand")}</li>
      <li>
        {chosen.some(({ readsPlates }) => readsPlates) ? (
          <strong>{t("bridge.mayPlates")}</strong>
        ) : (
          t("bridge.mayNotPlates")
        )}
      </li>
    </ul>
  );
}

/**
 * The lines to enter at the device, ready to paste; shown only once. It waits for the device, and where somebody is
 * adding a gate it ends with what moves that. `client`: as it is now.
 */
export function MadeClientDialog({
  made,
  client,
  onClose,
}: {
  made: MadeClient;
  client: BridgeClient | undefined;
  onClose: () => void;
}) {
  const [address, setAddress] = useState("");
  const needsAddress = made.steps.some(({ text }) => text.includes(ADDRESS));
  const host = address
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/\/.*$/, "");
  const steps = made.steps.map((step) => (host === "" ? step : { ...step, text: step.text.replaceAll(ADDRESS, host) }));
  return (
    <Dialog title={t("bridge.madeTitle", { name: made.client.name })} onClose={onClose}>
      <Arrival client={client} />
      <p>{t("bridge.madeText")}</p>
      <dl class="facts stacked">
        <dt>{t("devices.user")}</dt>
        <dd>
          <code>{made.username}</code>
        </dd>
        <dt>{t("signIn.password")}</dt>
        <dd>
          <ShownOnce text={made.password} />
        </dd>
      </dl>
      {needsAddress && (
        <TextField
          label={t("bridge.address")}
          hint={t("bridge.addressHint")}
          value={address}
          onInput={setAddress}
          inputMode="url"
        />
      )}
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.title} class="stack">
            <h3>{step.title}</h3>
            <pre class="secret">{step.text}</pre>
            <div class="row">
              <Button
                text={t("secret.copy")}
                aria-label={t("secret.copyNamed", { name: step.title })}
                onClick={() => void copyText(step.text)}
              />
              {step.kind === "url" && !step.text.includes(ADDRESS) && URL.canParse(step.text) && (
                <a class="button" href={step.text} target="_blank" rel="noreferrer">
                  {t("bridge.openUrl")}
                </a>
              )}
            </div>
          </li>
        ))}
      </ol>
      <Ending client={client} onClose={onClose} />
    </Dialog>
  );
}

/** The devices of a client that are here. */
function hereOf(client: BridgeClient | undefined): readonly Device[] {
  return (client?.devices ?? []).flatMap((id) => devices.value.get(id) ?? []);
}

/** Waits until a client is here with its devices. */
function Arrival({ client }: { client: BridgeClient | undefined }) {
  const here = hereOf(client);
  if (here.length > 0)
    return (
      <Notice tone="good">
        {here.length > MOST_NAMED
          ? t("bridge.areHere", { n: here.length })
          : t("bridge.isHere", { names: here.map(({ name }) => name).join(", ") })}
      </Notice>
    );
  return (
    // has the focus first: the dialog begins at its top, and a screen reader says what it waits for
    <div class="waiting" role="status" tabIndex={-1} autofocus>
      <span class="spinner" aria-hidden="true" />
      <p class="grow">{t(client?.connected === true ? "bridge.saysNothing" : "bridge.waitsFor")}</p>
    </div>
  );
}

/** What ends the dialog: where somebody is adding a gate, that this device moves it, and then the next step. */
function Ending({ client, onClose }: { client: BridgeClient | undefined; onClose: () => void }) {
  const [forGate] = useState(wantsGate);
  const here = hereOf(client);
  const movers = forGate ? here.filter(isMover) : [];
  const done = <Button look="primary" text={t("action.done")} onClick={onClose} />;
  if (movers.length === 0)
    return (
      <div class="actions">
        {forGate && here.some(({ type }) => type === "gate") ? <AfterGate otherwise={done} /> : done}
      </div>
    );
  return (
    <>
      <Notice tone="warn">{t("addDevice.letsGo")}</Notice>
      <div class="actions">
        <Button look="plain" text={t("action.done")} onClick={onClose} />
        {movers.map(({ id, name }) => (
          <Button
            key={id}
            look="primary"
            text={movers.length === 1 ? t("addDevice.moves") : t("bridge.moves", { name })}
            onClick={() => void callGate(id).catch(sayError)}
          />
        ))}
      </div>
    </>
  );
}
