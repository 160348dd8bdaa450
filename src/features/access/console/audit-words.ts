/** What somebody did, in a sentence: from the action, its target and its detail as the audit list keeps them. */
import type { Place } from "../../../console/components/place.ts";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { choiceName, settingName } from "../../../console/i18n/settings-texts.ts";
import { dateTime, keysBeginning, localeName, number, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { deviceList, devices, type GateRead } from "../../../console/store.ts";
import { type Limits, limitsText } from "./limits-field.tsx";
import { untilText } from "./until-field.tsx";

/** An act of the audit list: a line, with others that say the same of something else. */
export type AuditEvent = AnswerTo<"GET", "/api/audit/events">["events"][number];
/** A line of the audit list. */
export type AuditLine = AuditEvent["line"];

/** What a page knows besides the lines. */
export interface Known {
  /** What a place on the map is called. */
  readonly placeName: (place: Place) => string;
  /** The sightings that lines are about, as far as they are kept. */
  readonly reads: ReadonlyMap<number, GateRead>;
}

/** Who did it: a person or an app by name, else what kind of caller it was. */
function doerOf({ person, actor }: Pick<AuditLine, "person" | "actor">): string {
  return person ?? keyedText(`by.${actor.split(":")[0] ?? ""}`, t("by.other"));
}

/**
 * The lines without those of the simulated household, which is edited along with the real one and called after it: right
 * after the real one's line, so in a list with the newest first right before it.
 */
export function ofHousehold(lines: readonly AuditLine[]): readonly AuditLine[] {
  return lines.filter(({ action, target, actor }, index) => {
    const real = lines[index + 1];
    const isCopy = action === "site.edited" && real?.action === action && real.actor === actor;
    return !isCopy || target !== `${real.target} (test)`;
  });
}

/** Several acts of one kind as one sentence: `Asha added 300 plate rules`. */
export function sentenceOfMany({ line, count }: AuditEvent, known: Known): string {
  const [first = ""] = sentencesOf(line, known);
  const more = t("audit.andMore", { sentence: first, n: count - 1 });
  return keyedText(`auditMany.${line.action}`, more, { who: doerOf(line), n: count });
}

/** The sighting that a line is about; null: it is about none. */
export function readOf({ action, target }: AuditLine): number | null {
  return action === "plate_read.corrected" && /^\d{1,15}$/.test(target) ? Number(target) : null;
}

/**
 * What people know by a name with this word: the actions whose sentence has it, and the devices that are called so. The
 * hub keeps only codes and ids of them.
 */
export function namedWith(word: string): readonly string[] {
  const wanted = word.toLowerCase();
  const nothing = { who: "", what: "", kind: "", role: "", n: 2 };
  const actions = keysBeginning("audit.").filter((key) => keyedText(key, "", nothing).toLowerCase().includes(wanted));
  const called = deviceList.value.filter(({ name }) => name.toLowerCase().includes(wanted));
  return [...actions.map((key) => key.slice("audit.".length)), ...called.map(({ id }) => id)];
}

/** What was done, one sentence for each thing that changed. */
export function sentencesOf(line: AuditLine, { placeName, reads }: Known): readonly string[] {
  const who = doerOf(line);
  const read = reads.get(readOf(line) ?? 0);
  if (read?.correction != null && read.plate !== null) {
    const { saw } = read.correction;
    const plate = read.formatted ?? read.plate;
    return [saw === "" ? t("audit.plateFilledIn", { who, plate }) : t("audit.plateCorrected", { who, saw, plate })];
  }
  const { action, detail } = line;
  if (action === "settings.changed") {
    const changes = Object.entries(recordOf(detail.settings));
    if (changes.length > 0) return changes.map(([key, to]) => settingSet(who, key, to, recordOf(detail.before)[key]));
  }
  if (action === "energy.changed" && "price" in detail) return [priceSet(who, detail)];
  if (action === "site.edited") return siteEdited(who, line, placeName);
  if (action === "person.edited") return accessEdited(who, line);
  if (action === "person.limited") return limitsEdited(who, line);
  return [edited(who, line)];
}

/** A sentence about the place, and one about all else that was changed with it. */
function siteEdited(who: string, line: AuditLine, placeName: (place: Place) => string): readonly string[] {
  const { latitude, longitude, before, ...others } = line.detail;
  if (latitude === undefined || longitude === undefined) return [edited(who, line)];
  const was = recordOf(before);
  const sentences: string[] = [];
  const [to, from] = [placeOf(latitude, longitude), placeOf(was.latitude, was.longitude)];
  if (latitude !== was.latitude || longitude !== was.longitude) {
    const sentence = to === null ? t("audit.placeRemoved", { who }) : t("audit.placeSet", { who, to: placeName(to) });
    sentences.push(from === null ? sentence : `${sentence} (${t("audit.before", { value: placeName(from) })})`);
  }
  const rest = { ...line, detail: { ...others, before } };
  if (sentences.length === 0 || changedParts(rest) !== "") sentences.push(edited(who, rest));
  return sentences;
}

/** What somebody may open, and when, with what it was before. */
function limitsEdited(who: string, { target: what, detail }: AuditLine): readonly string[] {
  const said = (value: unknown): string => (isLimits(value) ? limitsText(value) : t("limits.everythingAlways"));
  const sentence = t("audit.person.limited", { who, what, to: said(detail.limits) });
  return [`${sentence} (${t("audit.before", { value: said(recordOf(detail.before).limits) })})`];
}

function isLimits(value: unknown): value is NonNullable<Limits> {
  return typeof value === "object" && value !== null && "times" in value && "gates" in value;
}

/** Until when somebody has access, with what it was before. */
function accessEdited(who: string, { target: what, detail }: AuditLine): readonly string[] {
  const said = (value: unknown): string => (typeof value === "string" ? untilText(value) : t("until.noEnd"));
  const sentence = t(detail.again === true ? "audit.accessAgain" : "audit.person.edited", {
    who,
    what,
    to: said(detail.until),
  });
  return [`${sentence} (${t("audit.before", { value: said(recordOf(detail.before).until) })})`];
}

function placeOf(latitude: unknown, longitude: unknown): Place | null {
  return typeof latitude === "number" && typeof longitude === "number" ? { latitude, longitude } : null;
}

function edited(who: string, line: AuditLine): string {
  const { action, detail } = line;
  const what = whatOf(line);
  const values = { who, what, kind: textOf(detail.kind), role: textOf(detail.role) };
  return keyedText(`audit.${action}`, `${who}: ${action} ${what}`, values) + givenParts(line) + changedParts(line);
}

/** Until when, and within which limits, an invitation or a guest pass lets somebody in. */
function givenParts({ action, detail }: AuditLine): string {
  const { until, limits, validTo } = detail;
  const parts: string[] = [];
  if (action === "person.invited") {
    if (typeof until === "string") parts.push(t("until.ends", { day: untilText(until) }));
    if (isLimits(limits)) parts.push(t("limits.opens", { limits: limitsText(limits) }));
  }
  if (action === "guest_pass.created" && typeof validTo === "number")
    parts.push(t("audit.until", { at: dateTime(new Date(validTo).toISOString()) }));
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** The target by its name, as people know it. */
function whatOf({ action, target, detail }: AuditLine): string {
  if (action === "person.joined") return textOf(detail.invitedAs) || target;
  return devices.value.get(target)?.name ?? (textOf(detail.name) || target);
}

/** The parts that an edit changed, by the names of their fields, with what they were and became where it is known. */
function changedParts({ action, detail }: AuditLine): string {
  if (!action.endsWith(".edited") || action === "plate_rule.edited") return "";
  const before = recordOf(detail.before);
  const parts = Object.entries(detail).flatMap(([key, value]) => {
    const name = keyedText(`field.${key}`, "");
    if (name === "" || (key in before && plain(before[key]) === plain(value))) return [];
    return [key in before && isPlain(value) ? `${name}: ${plain(before[key])} → ${plain(value)}` : name];
  });
  return parts.length === 0 ? "" : ` (${[...new Set(parts)].join(", ")})`;
}

function settingSet(who: string, key: string, to: unknown, before: unknown): string {
  const said = (value: unknown): string =>
    typeof value === "string" && value !== "" ? choiceName(key, value) : value === null ? "–" : plain(value);
  const sentence = t("audit.settingSet", { who, what: settingName(key), to: said(to) });
  return before === undefined ? sentence : `${sentence} (${t("audit.before", { value: said(before) })})`;
}

function priceSet(who: string, detail: AuditLine["detail"]): string {
  const [to, before] = [priceOf(detail.price), priceOf(detail.priceBefore)];
  const sentence = to === null ? t("audit.priceRemoved", { who }) : t("audit.priceSet", { who, to });
  return before === null ? sentence : `${sentence} (${t("audit.before", { value: before })})`;
}

function priceOf(value: unknown): string | null {
  const { perKwh, currency } = recordOf(value);
  return typeof perKwh === "number" && typeof currency === "string"
    ? new Intl.NumberFormat(localeName(), { style: "currency", currency }).format(perKwh)
    : null;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}; // JSON of the hub
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isPlain(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function plain(value: unknown): string {
  if (typeof value === "boolean") return t(value ? "quick.on" : "quick.off");
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return value.join(", ") || "–";
  return typeof value === "string" && value !== "" ? value : "–";
}
