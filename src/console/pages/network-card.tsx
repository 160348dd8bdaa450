import { useEffect, useState } from "preact/hooks";
import { get } from "../api.js";
import { Card } from "../components/basics.js";
import { sayError } from "../components/toast.js";
import { t } from "../i18n/translate.js";

interface Network {
  readonly name: string | null;
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly httpPort: number | null;
  readonly httpsPort: number | null;
  readonly mqttPort: number | null;
  readonly mqttsPort: number | null;
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** As a person types it: without the port that the scheme means by itself. */
function address(scheme: "http" | "https", host: string, port: number | null): string {
  return `${scheme}://${host}${port === null || port === (scheme === "http" ? 80 : 443) ? "" : `:${port}`}`;
}

/** Names and addresses of the box, and the ports that apps and devices use. */
export function NetworkCard() {
  const [network, setNetwork] = useState<Network | null>(null);
  useEffect(() => {
    void get<{ network: Network }>("/api/network")
      .then((answer) => setNetwork(answer.network))
      .catch(sayError);
  }, []);
  if (network === null) return null;
  const { name, hostname, addresses, httpPort, httpsPort, mqttPort, mqttsPort } = network;
  const hosts = [...(name === null ? [] : [name]), ...addresses.map(bracketed)];
  return (
    <Card title={t("network.title")}>
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
          <code>{[mqttPort, mqttsPort === null ? null : t("network.encrypted", { port: mqttsPort })].filter((part) => part !== null).join(", ")}</code>
        </dd>
      </dl>
      {httpsPort !== null && <a href="/ca">{t("network.certificate")}</a>}
    </Card>
  );
}
