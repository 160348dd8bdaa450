import { Card } from "../../../console/components/basics.tsx";
import { controlsOf } from "../../../console/components/controls.ts";
import { stateLine } from "../../../console/components/device-tile.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { opens } from "../../../console/components/standing.ts";
import { valueWord } from "../../../console/components/state-values.ts";
import { measureName } from "../../../console/i18n/measures.ts";
import { dayOf, number, t } from "../../../console/i18n/translate.ts";
import { withUnit } from "../../../console/i18n/unbroken.ts";
import type { Device } from "../../../console/store.ts";
import { wordOf } from "../../states/console/state-lines.ts";

/** A line: what it is, and how it is. */
interface Fact {
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

/** What matters to the person who looks after the device, not to those who live with it. */
export const TECHNICAL =
  /^(rssi|linkquality|lqi|signal|uptime|heap|freeheap|ip|ssid|mac|wifi|channel|boardtemperature|vcc|reset)/i;
/** All of these say how far something is open. */
const POSITION = new Set(["position", "open", "percent", "gate", "door", "cover", "state", "moving"]);

/**
 * What a device reports besides what its controls, and the head of its page (`without`), show; the technical part of it
 * is folded.
 */
export function FurtherState({ device, without }: { device: Device; without: ReadonlySet<string> }) {
  const controlled = new Set(controlsOf(device).flatMap((one) => ("field" in one ? [one.field] : [])));
  const further = Object.entries(device.state).filter(([key]) => !controlled.has(key) && !without.has(key));
  const plain = plainFacts(
    device,
    further.filter(([key]) => !TECHNICAL.test(key)),
  );
  const technical = further.filter(([key]) => TECHNICAL.test(key)).map((entry) => factOf(device, entry));
  if (plain.length + technical.length === 0) return null;
  if (plain.length === 0)
    return (
      <FoldCard title={t("device.details")} value="" starts="folded">
        <Facts facts={technical} />
      </FoldCard>
    );
  return (
    <Card title={t("device.state")}>
      <Facts facts={plain} />
      {technical.length > 0 && (
        <details class="fold-details">
          <summary>{t("device.details")}</summary>
          <Facts facts={technical} />
        </details>
      )}
    </Card>
  );
}

/** The lines of a device: one for its position, one for what a thermostat does. */
function plainFacts(device: Device, entries: readonly (readonly [string, unknown])[]): Fact[] {
  const { heating, cooling } = device.state;
  const isBarrier = opens(device) && device.type !== "lock";
  const climate = typeof heating === "boolean" || typeof cooling === "boolean";
  const rest = entries.filter(
    ([key]) => !(isBarrier && POSITION.has(key)) && !(climate && (key === "heating" || key === "cooling")),
  );
  const facts = rest.map((entry) => factOf(device, entry));
  if (climate)
    facts.unshift({
      ...{ key: "climate", name: t("device.doing") },
      value: t(heating === true ? "device.heats" : cooling === true ? "device.cools" : "device.idle"),
    });
  if (isBarrier && entries.some(([key]) => POSITION.has(key))) {
    const share = [device.state.percent, device.state.position].find((one) => typeof one === "number");
    const isBetween = typeof share === "number" && share > 0 && share < 100;
    const value = stateLine({ ...device, online: true });
    facts.unshift({
      ...{ key: "position", name: measureName("position") },
      value: isBetween ? `${value} · ${withUnit(number(share, 0), "%")}` : value,
    });
  }
  return facts;
}

function factOf({ stateAt }: Device, [key, value]: readonly [string, unknown]): Fact {
  if (key === "uptime" && typeof value === "number" && stateAt)
    return {
      ...{ key, name: t("device.runningSince") },
      value: dayOf(new Date(Date.parse(stateAt) - value * 1_000).toISOString()),
    };
  return {
    ...{ key, name: measureName(key) },
    value: typeof value === "boolean" ? wordOf(key, value) : isPlain(value) ? valueWord(key, value) : listText(value),
  };
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** A list or an object of a device's own: its parts in words, one after the other. */
function listText(value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => (isPlain(one) ? valueWord("", one) : listText(one))).join(", ");
  return Object.entries(value as object) // neither plain nor a list
    .map(([key, one]) => `${measureName(key)} ${isPlain(one) ? valueWord(key, one) : listText(one)}`)
    .join(", ");
}

function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <div class="table-wrap">
      <table class="table">
        <thead class="sr-only">
          <tr>
            <th>{t("device.key")}</th>
            <th>{t("device.value")}</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(({ key, name, value }) => (
            <tr key={key}>
              <td title={key}>{name}</td>
              <td class="numbers">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
