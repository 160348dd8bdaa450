import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { addressFromElsewhere, isOwnHost } from "../../../console/components/hub-address.ts";
import { QrCode } from "../../../console/components/qr-code.tsx";
import { ShownOnce } from "../../../console/components/shown-once.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";

/** What a device needs to connect, as text and as a QR code. The password is shown only once. */
export function Credential({
  deviceId,
  password,
  children,
}: {
  deviceId: string;
  password: string;
  /** Shown above the QR code. */
  children?: ComponentChildren;
}) {
  const [port, setPort] = useState<number | null>(null);
  const [host, setHost] = useState(location.hostname);
  const [scheme, setScheme] = useState<"mqtt" | "mqtts">("mqtt");
  useEffect(() => {
    // The actual port: the setting may be 0.
    void get("/api/network")
      .then(({ network }) => {
        // Opened on the host itself: a device elsewhere needs the network address.
        if (isOwnHost(location.hostname)) setHost(addressFromElsewhere(network.addresses) ?? location.hostname);
        setScheme(network.mqttPort === null ? "mqtts" : "mqtt");
        setPort(network.mqttPort ?? network.mqttsPort);
      })
      .catch(sayError);
  }, []);
  return (
    <>
      <dl class="facts stacked">
        <dt>{t("devices.host")}</dt>
        <dd>
          <code>{port === null ? host : `${host}:${port}`}</code>
        </dd>
        <dt>{t("devices.user")}</dt>
        <dd>
          <code>{deviceId}</code>
        </dd>
        <dt>{t("signIn.password")}</dt>
        <dd>
          <ShownOnce text={password} />
        </dd>
        <dt>{t("devices.topics")}</dt>
        <dd>
          <code>{`gatehouse/${deviceId}/…`}</code>
        </dd>
      </dl>
      {port !== null && (
        <div class="row">
          <Button
            text={t("devices.copyAll")}
            onClick={() =>
              void copyText(
                [
                  `${t("devices.host")}: ${host}:${port}`,
                  `${t("devices.user")}: ${deviceId}`,
                  `${t("signIn.password")}: ${password}`,
                  `${t("devices.topics")}: gatehouse/${deviceId}/…`,
                ].join("\n"),
              )
            }
          />
        </div>
      )}
      {children}
      {port !== null && (
        <>
          <QrCode
            text={`${scheme}://${encodeURIComponent(deviceId)}:${encodeURIComponent(password)}@${host}:${port}`}
            label={t("devices.qr")}
          />
          <p class="soft small">{t("devices.qrHint")}</p>
          {scheme === "mqtts" && (
            <p class="small">
              <a href="/ca-devices.crt">{t("devices.tlsHint")}</a>
            </p>
          )}
        </>
      )}
    </>
  );
}
