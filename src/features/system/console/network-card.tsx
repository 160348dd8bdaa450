import { useState } from "preact/hooks";
import { get, patch, post } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { say } from "../../../console/components/toast.tsx";
import { shortDate, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { language } from "../../../console/preferences.ts";

type Network = AnswerTo<"GET", "/api/network">["network"];

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** An address as people type it: without the scheme's default port. */
function address(scheme: "http" | "https", host: string, port: number | null): string {
  return `${scheme}://${host}${port === null || port === (scheme === "http" ? 80 : 443) ? "" : `:${port}`}`;
}

/** Names and addresses of the host, and the ports that apps and devices use. */
export function NetworkCard() {
  const [network, load] = useLoaded(async () => (await get("/api/network")).network);
  if (network === null) return null;
  const { name, hostname, addresses, httpPort, httpsPort, mqttPort, mqttsPort } = network;
  const hosts = [
    ...(name === null ? [] : [name]),
    ...(httpsPort === null ? addresses : network.certifiedAddresses).map(bracketed),
  ];
  return (
    <Card>
      <dl class="facts stacked">
        <dt>{t("network.name")}</dt>
        <dd>{name ?? t("network.off")}</dd>
        <dt>{t("network.hostname")}</dt>
        <dd>{hostname}</dd>
        <dt>{t("network.addresses")}</dt>
        <dd>{addresses.length === 0 ? "–" : addresses.join(", ")}</dd>
        <dt>{t("network.console")}</dt>
        <dd>
          <ul>
            {hosts.map((host) => (
              <li key={host}>
                <code>{httpsPort === null ? address("http", host, httpPort) : address("https", host, httpsPort)}</code>
              </li>
            ))}
          </ul>
        </dd>
        <dt>{t("network.mqtt")}</dt>
        <dd>
          <code>
            {[mqttPort, mqttsPort === null ? null : t("network.encrypted", { port: mqttsPort })]
              .filter((part) => part !== null)
              .join(", ")}
          </code>
        </dd>
      </dl>
      <Encryption network={network} onChange={load} />
    </Card>
  );
}

/**
 * Whether connections are encrypted, and the two things an owner can do about it: closing plain http, and creating a
 * new authority.
 */
function Encryption({ network, onChange }: { network: Network; onChange: () => void }) {
  const [asking, setAsking] = useState<"close" | "renew" | null>(null);
  const { httpPort, httpsPort, plainHttp, authority } = network;
  if (httpsPort === null) return <p class="soft small">{t("network.noTls")}</p>;
  const isEncrypted = location.protocol === "https:";
  const close = async (): Promise<void> => {
    await patch("/api/settings", { body: { settings: { "tls.plainHttp": "closed" } } });
    say(t("network.closed"));
    setAsking(null);
    onChange();
  };
  const renew = async (): Promise<void> => {
    await post("/api/network/authority");
    // Over plain http, because a browser that does not trust the hub yet can open the trust page only there.
    location.assign(`${address("http", location.hostname, httpPort)}/ca?lang=${language.value}`);
  };
  return (
    <div class="stack">
      {plainHttp === "closed" ? (
        <p class="soft small">{t("network.closedText")}</p>
      ) : (
        <Notice tone="warn">
          <p>{t("network.openText")}</p>
          {isEncrypted ? (
            <Button text={t("network.close")} onClick={() => setAsking("close")} />
          ) : (
            <a href={`/ca?lang=${language.value}`}>{t("network.lock")}</a>
          )}
        </Notice>
      )}
      {authority?.kind === "boundless" && <Notice tone="warn">{t("health.encryption.boundless")}</Notice>}
      {authority !== null && (
        <>
          <p class="small">
            {t("network.fingerprint", {
              date: shortDate(new Date(authority.notAfter)),
              year: new Date(authority.notAfter).getFullYear(),
            })}
            <br />
            <code class="fingerprint">{authority.fingerprint}</code>
          </p>
          <div class="row">
            <a href={`/ca?lang=${language.value}`}>{t("network.certificate")}</a>
            {authority.kind !== "given" && (
              <Button look="plain" text={t("network.renew")} onClick={() => setAsking("renew")} />
            )}
          </div>
        </>
      )}
      {asking === "close" && (
        <Confirm
          title={t("network.close")}
          text={t("network.closeText")}
          action={t("network.close")}
          onYes={close}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === "renew" && (
        <Confirm
          title={t("network.renew")}
          text={t("network.renewText")}
          action={t("network.renew")}
          danger
          onYes={renew}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}
