import { useEffect, useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { Card, PageHead, TryAgain } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import type { EnergySettings } from "../resources/energy.ts";
import type { EnergyRole } from "../rules/house-energy.ts";
import "./energy.css";
import { DaysField } from "../../../console/components/days-field.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckField, Group, SelectField } from "../../../console/components/field.tsx";
import { FindList } from "../../../console/components/find-list.tsx";
import { say } from "../../../console/components/toast.tsx";
import { useUnsaved } from "../../../console/components/unsaved.ts";
import { dayOf, shownZone } from "../../../console/components/zone-time.ts";
import { number, type TextKey, t } from "../../../console/i18n/translate.ts";
import { devices, energyRoles, set } from "../../../console/store.ts";
import { nameOf } from "./energy-view.tsx";
import { chosenOf, currencies, currencyOfZone, PriceField } from "./prices.tsx";

type Prices = NonNullable<EnergySettings["tariff"]>["prices"][number];
type Period = Prices["periods"][number];
type Role = EnergySettings["roles"][number];

const ROLES: readonly EnergyRole[] = ["grid", "solar", "battery", "load", "none"];
const ROLE_TEXT: Readonly<Record<EnergyRole, TextKey>> = {
  grid: "energy.role.grid",
  solar: "energy.role.solar",
  battery: "energy.role.battery",
  load: "energy.role.load",
  none: "energy.role.none",
};
const FRESH_PRICES: Prices = { validFrom: null, perKwh: 0, exportPerKwh: 0, periods: [] };
const FRESH_PERIOD: Period = { days: [], from: "22:00", to: "06:00", perKwh: 0 };
/** Prices begin on quarter hours, as meters count. */
const TIMES: readonly string[] = Array.from(
  { length: 96 },
  (_, n) => `${String(Math.floor(n / 4)).padStart(2, "0")}:${String((n % 4) * 15).padStart(2, "0")}`,
);

/** Energy prices, and the role of each meter; stored on the hub. */
export function EnergySettingsPage() {
  const [loaded, setLoaded] = useState<EnergySettings | null>(null);
  const [isFailed, setFailed] = useState(false);
  const load = (): void => {
    void get("/api/energy/settings")
      .then(({ settings }) => {
        setFailed(false);
        setLoaded(settings);
      })
      .catch(() => setFailed(true));
  };
  useEffect(load, []);
  return (
    <>
      <PageHead title={t("energy.settings")} subtitle={t("energy.settingsText")} />
      {loaded !== null ? (
        <div class="stack">
          <PriceEditor settings={loaded} onSaved={setLoaded} />
          <Meters settings={loaded} onSaved={setLoaded} />
        </div>
      ) : isFailed ? (
        <TryAgain text={t("history.failed")} onTry={load} />
      ) : (
        <p aria-busy="true">{t("state.loading")}</p>
      )}
    </>
  );
}

function PriceEditor({ settings, onSaved }: { settings: EnergySettings; onSaved: (settings: EnergySettings) => void }) {
  const [currency, setCurrency] = useState(settings.tariff?.currency ?? currencyOfZone(shownZone()));
  const [prices, setPrices] = useState<readonly Prices[]>(settings.tariff?.prices ?? [FRESH_PRICES]);
  const [isDirty, setDirty] = useState(false);
  useUnsaved(isDirty);
  const changed =
    <Value,>(set: (value: Value) => void) =>
    (value: Value): void => {
      setDirty(true);
      set(value);
    };
  const send = async (): Promise<void> => {
    const isSet = prices.some(
      ({ perKwh, exportPerKwh, periods }) => perKwh > 0 || exportPerKwh > 0 || periods.length > 0,
    );
    const body = {
      tariff: isSet
        ? {
            currency,
            prices: prices.map((price) => ({ ...price, validFrom: price.validFrom === "" ? null : price.validFrom })),
          }
        : null,
      roles: chosenOf(settings.roles),
    };
    const answer = await put("/api/energy/settings", { body });
    setDirty(false);
    onSaved(answer.settings);
    say(t("energy.saved"));
  };
  const setPrice = (index: number, next: Prices): void =>
    changed(setPrices)(prices.map((price, place) => (place === index ? next : price)));
  return (
    <Form submit={t("action.save")} send={send}>
      {() => (
        <>
          <Card title={t("energy.prices")}>
            <SelectField
              label={t("energy.currency")}
              value={currency}
              options={currencies(currency)}
              onChange={changed(setCurrency)}
            />
            {prices.map((price, index) => (
              <PriceFields
                key={index}
                price={price}
                isFirst={index === 0}
                onChange={(next) => setPrice(index, next)}
                onRemove={() => changed(setPrices)(prices.filter((_, place) => place !== index))}
              />
            ))}
            <p>
              <Button
                text={t("energy.addPrices")}
                onClick={() =>
                  changed(setPrices)([...prices, { ...(prices.at(-1) ?? FRESH_PRICES), validFrom: today() }])
                }
              />
            </p>
          </Card>
        </>
      )}
    </Form>
  );
}

/** What each meter measures, as a list of any length; a row opens its choice. */
function Meters({ settings, onSaved }: { settings: EnergySettings; onSaved: (settings: EnergySettings) => void }) {
  const { roles, tariff } = settings;
  const [opened, setOpened] = useState<Role | null>(null);
  const save = async (next: Role): Promise<void> => {
    const all = roles.map((known) => (known.deviceId === next.deviceId ? { ...next, chosen: true } : known));
    const answer = await put("/api/energy/settings", { body: { tariff, roles: chosenOf(all) } });
    set(energyRoles, answer.settings.roles);
    onSaved(answer.settings);
    setOpened(null);
    say(t("energy.saved"));
  };
  return (
    <Card title={t("energy.meters")}>
      <p class="soft">{t("energy.metersText")}</p>
      {roles.length === 0 ? (
        <p class="soft">{t("energy.noMeters")}</p>
      ) : (
        <FindList
          items={roles}
          label={t("energy.findMeter")}
          className="list"
          wordsOf={(role) => `${nameOf(role.deviceId)} ${roleText(role)}`}
          orders={[{ name: "", compare: (one, other) => nameOf(one.deviceId).localeCompare(nameOf(other.deviceId)) }]}
          narrowings={ROLES.filter((name) => roles.some(({ role }) => role === name)).map((name) => ({
            name: t(ROLE_TEXT[name]),
            fits: ({ role }: Role) => role === name,
          }))}
          row={(role) => (
            <li key={role.deviceId}>
              <div class="grow">
                <p>{nameOf(role.deviceId)}</p>
                <p class="soft small">{roleText(role)}</p>
              </div>
              <IconButton
                icon="pencil"
                label={t("energy.measures", { name: nameOf(role.deviceId) })}
                onClick={() => setOpened(role)}
              />
            </li>
          )}
        />
      )}
      {opened !== null && <MeterDialog role={opened} all={roles} onClose={() => setOpened(null)} onSave={save} />}
    </Card>
  );
}

/** What a meter measures, in a line. */
function roleText({ role, behind, reversed }: Role): string {
  return [
    t(ROLE_TEXT[role]),
    ...(behind === null ? [] : [`${t("energy.behind")}: ${nameOf(behind)}`]),
    ...(reversed ? [t("energy.reversed")] : []),
  ].join(" · ");
}

function MeterDialog({
  role: before,
  all,
  onClose,
  onSave,
}: {
  role: Role;
  all: readonly Role[];
  onClose: () => void;
  onSave: (role: Role) => Promise<void>;
}) {
  const [role, setRole] = useState(before);
  return (
    <Dialog title={nameOf(role.deviceId)} onClose={onClose}>
      <Form submit={t("action.save")} send={() => onSave(role)} onCancel={onClose}>
        {() => <RoleFields role={role} all={all} onChange={setRole} />}
      </Form>
    </Dialog>
  );
}

function PriceFields({
  price,
  isFirst,
  onChange,
  onRemove,
}: {
  price: Prices;
  isFirst: boolean;
  onChange: (price: Prices) => void;
  onRemove: () => void;
}) {
  const setPeriod = (index: number, next: Period): void =>
    onChange({ ...price, periods: price.periods.map((period, place) => (place === index ? next : period)) });
  return (
    <Group
      legend={
        isFirst && price.validFrom === null
          ? t("energy.priceFromStart")
          : t("energy.priceFrom", { date: price.validFrom ?? "…" })
      }
    >
      {!isFirst && (
        <label class="field">
          <span>{t("energy.validFrom")}</span>
          <input
            type="date"
            class="input"
            value={price.validFrom ?? ""}
            required
            onInput={(event) => onChange({ ...price, validFrom: event.currentTarget.value })}
          />
        </label>
      )}
      <div class="pair">
        <PriceField
          label={t("energy.perKwh")}
          value={price.perKwh}
          onChange={(perKwh) => onChange({ ...price, perKwh })}
        />
        <PriceField
          label={t("energy.exportPerKwh")}
          value={price.exportPerKwh}
          onChange={(exportPerKwh) => onChange({ ...price, exportPerKwh })}
        />
      </div>
      {price.periods.map((period, index) => (
        <fieldset class="energy-period stack" key={index}>
          <legend>{t("energy.period", { n: index + 1 })}</legend>
          <div class="pair">
            <SelectField
              label={t("energy.from")}
              value={period.from}
              options={TIMES.map((time) => [time, time] as const)}
              onChange={(from) => setPeriod(index, { ...period, from })}
            />
            <SelectField
              label={t("energy.to")}
              value={period.to}
              options={TIMES.map((time) => [time, time] as const)}
              onChange={(to) => setPeriod(index, { ...period, to })}
            />
            <PriceField
              label={t("energy.perKwh")}
              value={period.perKwh}
              onChange={(perKwh) => setPeriod(index, { ...period, perKwh })}
            />
          </div>
          <DaysField
            label={t("block.days")}
            days={period.days}
            onChange={(days) => setPeriod(index, { ...period, days })}
          />
          <p>
            <Button
              look="plain"
              text={t("device.remove")}
              onClick={() => onChange({ ...price, periods: price.periods.filter((_, place) => place !== index) })}
            />
          </p>
        </fieldset>
      ))}
      <p class="row">
        <Button
          text={t("energy.addPeriod")}
          onClick={() => onChange({ ...price, periods: [...price.periods, { ...FRESH_PERIOD, perKwh: price.perKwh }] })}
        />
        {!isFirst && <Button look="plain" text={t("energy.removePrices")} onClick={onRemove} />}
      </p>
    </Group>
  );
}

function RoleFields({ role, all, onChange }: { role: Role; all: readonly Role[]; onChange: (role: Role) => void }) {
  const behind = all.filter(
    (other) => other.deviceId !== role.deviceId && other.role === "load" && !isBehind(other, role.deviceId, all),
  );
  return (
    <div class="stack">
      <div class="energy-choice">
        <SelectField
          label={t("energy.measures", { name: devices.value.get(role.deviceId)?.name ?? role.deviceId })}
          value={role.role}
          options={ROLES.map((name) => [name, t(ROLE_TEXT[name])] as const)}
          onChange={(next) => onChange({ ...role, role: next, behind: next === "load" ? role.behind : null })}
        />
        {role.role === "load" && behind.length > 0 && (
          <SelectField
            label={t("energy.behind")}
            value={role.behind ?? ""}
            options={[
              ["", t("energy.behindNothing")] as const,
              ...behind.map((other) => [other.deviceId, nameOf(other.deviceId)] as const),
            ]}
            onChange={(id) => onChange({ ...role, behind: id === "" ? null : id })}
          />
        )}
      </div>
      {flowText(role) !== null && <p class="small">{flowText(role)}</p>}
      {role.role !== "none" && role.role !== "solar" && (
        <CheckField
          label={t("energy.reversed")}
          checked={role.reversed}
          onChange={(reversed) => onChange({ ...role, reversed })}
        />
      )}
    </div>
  );
}

/** What the meter says right now and which way, so that its direction can be checked; null: nothing to say. */
function flowText({ deviceId, role, reversed }: Role): string | null {
  const device = devices.value.get(deviceId);
  const reported = device?.online === true ? device.state.watts : undefined;
  if (typeof reported !== "number" || Math.abs(reported) < 1) return null;
  const watts = number(Math.abs(reported), 0);
  const isIn = reported > 0 !== reversed;
  if (role === "grid") return t(isIn ? "energy.now.gridIn" : "energy.now.gridOut", { watts });
  if (role === "battery") return t(isIn ? "energy.now.batteryIn" : "energy.now.batteryOut", { watts });
  return role === "load" && !isIn ? t("energy.now.backwards", { watts }) : null;
}

/** Whether a device is behind another, directly or not. */
function isBehind(role: Role, id: string, all: readonly Role[]): boolean {
  for (let at: Role | undefined = role, left = all.length; at !== undefined && left > 0; left--) {
    const parent: string | null = at.behind;
    if (parent === id) return true;
    at = all.find((other) => other.deviceId === parent);
  }
  return false;
}

function today(): string {
  return dayOf(Date.now(), shownZone());
}
