import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { addressFromElsewhere, isOwnHost } from "../../../console/components/hub-address.ts";
import { ShownOnce } from "../../../console/components/shown-once.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { trustPage } from "../../../console/components/trust-line.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import { reads } from "../../../console/store.ts";
import { ConnectionWait } from "../../devices/console/connection-wait.tsx";
import { givenPasswords, lastPicture } from "./camera-model.ts";
import "./camera-connect.css";

/** In the lines, while the password is not known here. */
const PLACEHOLDER = "PASSWORD";
/** What the lines call the certificate of the hub's own authority, as it is saved from /ca.crt. */
const AUTHORITY_FILE = "gatehouse-ca.crt";

/**
 * How a camera that sends its own pictures gets them here: its password, once; lines to paste; and a wait that ends
 * with the first picture. Nothing once it has sent one, unless its password is still to be noted.
 */
export function CameraConnect({ deviceId }: { deviceId: string }) {
  const [password, setPassword] = useState(() => givenPasswords.get(deviceId) ?? null);
  const [hasPicture, setPicture] = useState(() => lastPicture(deviceId) !== undefined);
  const [hosts, setHosts] = useState({ http: location.origin, mqtt: `${location.hostname} -p 1883`, isTls: false });
  /** Where a shell gets that certificate; null: what it sends pictures to needs none. */
  const [authority, setAuthority] = useState<string | null>(null);
  useEffect(() => {
    void get("/api/network")
      .then(({ network }) => {
        const own = isOwnHost(location.hostname);
        // curl would refuse an address that the certificate is not made for; the hub listens to IPv4 only by default
        const addresses = location.protocol === "https:" ? network.certifiedAddresses : network.addresses;
        const ipv4 = addresses.filter((address) => !address.includes(":"));
        const host = own ? (addressFromElsewhere(ipv4) ?? location.hostname) : location.hostname;
        const port = network.mqttPort ?? network.mqttsPort;
        setHosts({
          http: `${location.protocol}//${host}${location.port === "" ? "" : `:${location.port}`}`,
          mqtt: `${host} -p ${port}`,
          isTls: network.mqttPort === null,
        });
      })
      .catch(sayError);
    return onFact("read.decided", (fact) => fact.deviceId === deviceId && setPicture(true));
  }, [deviceId]);
  useEffect(() => {
    void trustPage(hosts.http).then((page) => setAuthority(page === null ? null : `${page}.crt`), sayError);
  }, [hosts.http]);
  useEffect(() => {
    if (lastPicture(deviceId) !== undefined) setPicture(true);
  }, [reads.value]);
  if (hasPicture && password === null) return null;
  const renew = async (): Promise<void> => {
    try {
      const made = (await post("/api/devices/{id}/password", { params: { id: deviceId } })).password;
      givenPasswords.set(deviceId, made);
      setPassword(made);
    } catch (error) {
      sayError(error);
    }
  };
  const secret = password ?? PLACEHOLDER;
  const trusts = (option: string): string => (authority === null ? "" : ` ${option} ${AUTHORITY_FILE}`);
  const publish = `mosquitto_pub -h ${hosts.mqtt}${hosts.isTls ? trusts("--cafile") : ""} -u ${deviceId} -P ${secret} -i ${deviceId} -q 1 -t gatehouse/${deviceId}/capture`;
  const address = `${hosts.http}/api/cameras/${deviceId}/burst`;
  const line = `curl${trusts("--cacert")} -u ${deviceId}:${secret} -H 'Content-Type: image/jpeg' --data-binary @car.jpg '${address}'`;
  const mqttLine = `N=$(date +%s); ${publish}/$N/0 -f car.jpg; ${publish}/$N/done -m '{"frames":1}'`;
  return (
    <Card title={t("cameraConnect.title")}>
      {password === null ? (
        <div class="row between">
          <p class="soft grow">{t("cameraConnect.lost")}</p>
          <Button text={t("device.newPassword")} onClick={() => void renew()} />
        </div>
      ) : (
        <>
          <p class="soft">{t("cameraConnect.once")}</p>
          <dl class="facts stacked">
            <dt>{t("camera.url")}</dt>
            <dd>
              <code>{address}</code>
            </dd>
            <dt>{t("devices.user")}</dt>
            <dd>
              <code>{deviceId}</code>
            </dd>
            <dt>{t("signIn.password")}</dt>
            <dd>
              <ShownOnce text={password} />
            </dd>
          </dl>
          <div class="row">
            <Button
              text={t("cameraConnect.noted")}
              onClick={() => {
                givenPasswords.delete(deviceId);
                setPassword(null);
              }}
            />
          </div>
        </>
      )}
      <p class="soft small">{t(authority === null ? "cameraConnect.lines" : "cameraConnect.fromComputer")}</p>
      {authority !== null && (
        <>
          <p class="small">
            {t("cameraConnect.authority")}{" "}
            <a href="/ca.crt" download={AUTHORITY_FILE}>
              {AUTHORITY_FILE}
            </a>
          </p>
          <Line text={`curl -o ${AUTHORITY_FILE} '${authority}'`} />
          <p class="small">{t("cameraConnect.thenPicture")}</p>
        </>
      )}
      <Line text={line} />
      <details class="group">
        <summary>{t("cameraConnect.overMqtt")}</summary>
        <Line text={mqttLine} />
      </details>
      {hasPicture ? (
        <Notice tone="good">{t("cameraConnect.came")}</Notice>
      ) : (
        <>
          <div class="waiting" role="status">
            <span class="spinner" aria-hidden="true" />
            <p class="grow">{t("cameraConnect.waiting")}</p>
          </div>
          <ConnectionRefusals deviceId={deviceId} />
        </>
      )}
    </Card>
  );
}

/** A line to paste: to be copied, not read. */
function Line({ text }: { text: string }) {
  return (
    <div class="paste-line">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to scroll it */}
      <code class="secret" tabIndex={0}>
        {text}
      </code>
      <Button text={t("secret.copy")} onClick={() => void copyText(text)} />
    </div>
  );
}

/** Why the hub refused it, if it has tried; a camera that posts its pictures never counts as connected. */
function ConnectionRefusals({ deviceId }: { deviceId: string }) {
  return (
    <details class="group">
      <summary>{t("cameraConnect.refused")}</summary>
      <ConnectionWait deviceId={deviceId} />
    </details>
  );
}
