/**
 * Where the house is, asked in a person's words: a city, this device's own place, a pasted pair of numbers or a link to
 * a map; and the time zone that it brings. Used by the first run, on System under Site, and in place where a rule needs the sun.
 */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { patch } from "../api.ts";
import { localeName, number, t } from "../i18n/translate.ts";
import { language } from "../preferences.ts";
import { knowSite } from "../store.ts";
import { Notice } from "./basics.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { Picker, type PickerOption } from "./picker.tsx";
import {
  type City,
  findCities,
  isSameClock,
  NEAR_CITY_KM,
  nearestCity,
  type Place,
  placeAt,
  placeIn,
  sunOn,
  zoneAt,
} from "./place.ts";
import { TimeZoneField, zoneWords } from "./time-zone.tsx";
import { sayError } from "./toast.tsx";
import { shownZone } from "./zone-time.ts";

/** This near to a city's middle, a place is the city. */
const IN_CITY_KM = 3;
/** How long a device may take to say where it is. */
const LOCATE_MS = 20_000;

let known: readonly City[] | null = null;

/** The name that this browser has for a zone with several: Asia/Kolkata is Asia/Calcutta in many. */
function ownName(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    return timeZone; // an older browser does not know it
  }
}

/** Loads the cities that the console ships; without them numbers and links are understood. */
export async function loadCities(): Promise<void> {
  if (known !== null) return;
  try {
    const {
      default: { cities: listed, zones },
    } = await import("./cities.json");
    const own = zones.map(ownName);
    known = listed.map(([name, country, latitude, longitude, zone]) => ({
      name: String(name),
      country: String(country),
      latitude: Number(latitude),
      longitude: Number(longitude),
      timeZone: own[Number(zone)] ?? "UTC",
    }));
  } catch {
    // asked for again where a place is next
  }
}

/** The cities that the console ships; empty until they are here. */
function useCities(): readonly City[] {
  const [cities, setCities] = useState(known ?? []);
  useEffect(() => void loadCities().then(() => setCities(known ?? [])), []);
  return cities;
}

function countryNames(): (code: string) => string {
  const names = new Intl.DisplayNames([language.value, "en"], { type: "region" });
  return (code) => names.of(code) ?? code;
}

/** A place as two numbers that people recognise from a map. */
function numbersOf({ latitude, longitude }: Place): string {
  return `${number(latitude, 2)}, ${number(longitude, 2)}`;
}

/** What the field shows for a place: its city, how far from it, or its numbers. */
function placeName(place: Place, cities: readonly City[]): string {
  const nearest = nearestCity(cities, place);
  if (nearest === null || nearest.km > NEAR_CITY_KM) return numbersOf(place);
  if (nearest.km <= IN_CITY_KM) return nearest.city.name;
  return t("place.near", { city: nearest.city.name, place: numbersOf(place) });
}

/** What places are called, for a sentence about one: by the nearest city, as far as those are known. */
export function usePlaceName(): (place: Place) => string {
  const cities = useCities();
  return (place) => placeName(place, cities);
}

const idOf = ({ latitude, longitude }: Place): string => `${latitude},${longitude}`;

/** Where the house is, and what its clocks show. */
export interface Whereabouts {
  readonly place: Place | null;
  readonly timeZone: string;
}

/**
 * The place and the time zone of the house. A place that is chosen brings its time zone; one that does not fit the place
 * is reported at its field. `isNeeded`: nothing goes on without the place.
 */
export function WhereFields({
  where: { place, timeZone },
  isNeeded = false,
  errors,
  onChange,
}: {
  where: Whereabouts;
  isNeeded?: boolean;
  errors: Readonly<Record<string, string>>;
  onChange: (where: Whereabouts) => void;
}) {
  const cities = useCities();
  const nameOf = countryNames();
  const find = (text: string): readonly PickerOption[] => {
    const written = placeIn(text);
    if (written !== null)
      return [{ id: idOf(written), name: text.trim(), detail: placeName(written, cities), icon: "pin" }];
    return findCities(cities, text, ownName(timeZone), nameOf).map((city) => ({
      id: idOf(city),
      name: city.name,
      detail: nameOf(city.country),
    }));
  };
  const zoneOf = (at: Place | null): string | null => (at === null ? null : zoneAt(cities, at, timeZone, Date.now()));
  const choose = (next: Place | null): void => onChange({ place: next, timeZone: zoneOf(next) ?? timeZone });
  const zoneThere = zoneOf(place);
  return (
    <>
      <div class="stack place-field">
        <Picker
          label={t(isNeeded ? "place.label" : "site.place")}
          hint={t("place.hint")}
          error={errors.latitude ?? errors.longitude}
          placeholder={t("place.example")}
          chosen={place === null ? { id: "", name: "" } : { id: idOf(place), name: placeName(place, cities) }}
          find={find}
          unknown={t("place.unknown")}
          onChange={(id) => choose(placeIn(id))}
        />
        <div class="row">
          <HereButton onFound={choose} />
          {place !== null && <Button look="plain" text={t("place.forget")} onClick={() => choose(null)} />}
        </div>
        {place !== null && <SunLine place={place} timeZone={timeZone} />}
      </div>
      <TimeZoneField
        value={timeZone}
        onChange={(zone) => onChange({ place, timeZone: zone })}
        error={errors.timeZone}
      />
      {place !== null && zoneThere !== null && !isSameClock(zoneThere, timeZone, Date.now()) && (
        <Notice tone="warn">
          <div class="row between">
            {t("place.otherZone", { place: placeName(place, cities), zone: zoneWords(zoneThere) })}
            <Button text={t("place.takeZone")} onClick={() => onChange({ place, timeZone: zoneThere })} />
          </div>
        </Notice>
      )}
    </>
  );
}

/** Asks this device where it is; nothing where browsers do not allow it, which is on pages without encryption. */
function HereButton({ onFound }: { onFound: (place: Place) => void }) {
  const [state, setState] = useState<"idle" | "looking" | "failed">("idle");
  if (!isSecureContext || !("geolocation" in navigator)) return null;
  const look = (): void => {
    setState("looking");
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        const here = placeAt(coords.latitude, coords.longitude);
        setState(here === null ? "failed" : "idle");
        if (here !== null) onFound(here);
      },
      () => setState("failed"),
      { timeout: LOCATE_MS, maximumAge: 600_000 },
    );
  };
  return (
    <>
      <Button
        icon="pin"
        text={t(state === "looking" ? "place.looking" : "place.here")}
        disabled={state === "looking"}
        onClick={look}
      />
      {state === "failed" && (
        <p class="soft small" role="status">
          {t("place.notFound")}
        </p>
      )}
    </>
  );
}

/** The sun of today at a place: whether it is the right one is seen at a glance. */
function SunLine({ place, timeZone }: { place: Place; timeZone: string }) {
  const { sunrise, sunset } = sunOn(place, timeZone, Date.now());
  const clock = (at: Date): string =>
    new Intl.DateTimeFormat(localeName(), { timeZone, hour: "numeric", minute: "2-digit" }).format(at);
  return (
    <p class="row sun-line" role="status">
      <Icon name="sunset" small />
      <span>
        {sunrise === null || sunset === null
          ? t("place.noSun")
          : t("place.sun", { rise: clock(sunrise), set: clock(sunset) })}
      </span>
    </p>
  );
}

/** Increases when the hub has learnt the place: what depends on the sun has to be asked again. */
export const placeSaved = signal(0);

/**
 * Asks for the place in a dialog where something needs it, and stores it: a draft beside it stays as it is. `onSaved` is
 * called once the hub has it.
 */
export function PlaceButton({ onSaved = () => {} }: { onSaved?: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [where, setWhere] = useState<Whereabouts>({ place: null, timeZone: shownZone() });
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    const { place, timeZone } = where;
    if (place === null) return;
    setBusy(true);
    try {
      knowSite((await patch("/api/site", { body: { ...place, timeZone } })).site);
      setOpen(false);
      placeSaved.value++;
      onSaved();
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button icon="pin" text={t("place.say")} onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={t("place.where")} onClose={() => setOpen(false)}>
          <WhereFields where={where} isNeeded errors={{}} onChange={setWhere} />
          <div class="row actions">
            <Button look="plain" text={t("action.cancel")} onClick={() => setOpen(false)} />
            <Button
              look="primary"
              text={t("action.save")}
              disabled={where.place === null || busy}
              onClick={() => void save()}
            />
          </div>
        </Dialog>
      )}
    </>
  );
}

/** The place of a site as the hub has it; null where it has none. */
export function placeOf({
  latitude,
  longitude,
}: {
  readonly latitude: number | null;
  readonly longitude: number | null;
}): Place | null {
  return latitude === null || longitude === null ? null : { latitude, longitude };
}
