import { Icon, type IconName } from "../../../console/components/icon.tsx";
import { Name } from "../../../console/components/name.tsx";
import { dayName, t, timeOfDay } from "../../../console/i18n/translate.ts";
import { devices, type GateRead } from "../../../console/store.ts";
import { chainOf, outcomeOf, type Step } from "./gate-chain.ts";
import { correctionText, whoOf } from "./gate-story.ts";
import { PlateCrop } from "./plate-crop.tsx";
import { type Part, partOf } from "./plate-part.ts";
import { isUnread } from "./seen-reads.ts";
import "./gate-day.css";

const STEP_ICONS = {
  yes: "circleCheck",
  no: "circleAlert",
  open: "circle",
  noted: "circleCheck",
} as const satisfies Record<Step["state"], IconName>;

const WAY_ICONS = { in: "arrowDownLeft", out: "arrowUpRight", unknown: "camera" } as const satisfies Record<
  string,
  IconName
>;

/** What was decided, whether the gate was told and opened, and whether the vehicle went through. */
export function Chain({ read, isExplained = false }: { read: GateRead; isExplained?: boolean }) {
  const wentThrough = read.passed === "seen" || read.passed === "assumed";
  return (
    <>
      <ol class="chain" aria-label={t("chain.label")}>
        {chainOf(read).map((step) => (
          <li key={step.text} data-state={step.state}>
            <Icon name={STEP_ICONS[step.state]} small />
            <span>{step.text}</span>
          </li>
        ))}
      </ol>
      {isExplained && wentThrough && read.gate !== null && <p class="soft small">{t("chain.legend")}</p>}
    </>
  );
}

/** Whether its outcome is that a car went through, seen or not: two colours tell which. */
function isPassed({ passed, gate }: GateRead): boolean {
  return gate !== null && (passed === "seen" || passed === "assumed");
}

/** A plate with what was found in it. */
function Marked({ text, part }: { text: string; part: Part | null }) {
  if (part === null) return <>{text}</>;
  return (
    <>
      {text.slice(0, part.from)}
      <mark>{text.slice(part.from, part.to)}</mark>
      {text.slice(part.to)}
    </>
  );
}

/** One sighting in a dense list: its time, the plate cut out, whose it is, and what happened. */
export function ReadRow({
  read,
  isHere = false,
  withDay = false,
  found = "",
  checked,
  onCheck,
  onLook,
}: {
  read: GateRead;
  isHere?: boolean;
  /** The list around it is not in days. */
  withDay?: boolean;
  /** What was searched for: the plate that it is in stands there as text, with that marked. */
  found?: string;
  /** Undefined: nothing is chosen from this list. */
  checked?: boolean | undefined;
  /** `isRange`: up to here from the one chosen before. */
  onCheck?: (checked: boolean, isRange: boolean) => void;
  /** Called when it is focused; a list beside a picture shows it there. */
  onLook?: () => void;
}) {
  const camera = devices.value.get(read.deviceId)?.name ?? read.deviceId;
  const { text, state } = outcomeOf(read);
  const who = whoOf(read);
  const way = read.direction === null ? [] : [read.direction === "in" ? t("read.in") : t("read.out")];
  const seen = [...way, camera].join(" · ");
  const corrected = correctionText(read);
  const part = read.formatted === null ? null : partOf(read.formatted, found);
  const isFound = part !== null;
  return (
    <li class={`read-row ${read.decision}`} data-here={isHere} data-unread={isUnread(read)}>
      {checked !== undefined && (
        <input
          type="checkbox"
          class="read-check"
          aria-label={t("day.choose", { who, time: timeOfDay(read.at) })}
          checked={checked}
          disabled={read.plate === null}
          onClick={(event) => onCheck?.(event.currentTarget.checked, event.shiftKey)}
        />
      )}
      <a
        href={`/gate/reads/${read.id}`}
        {...(isHere ? { "aria-current": "true" as const } : {})}
        onFocus={onLook}
        data-read={read.id}
      >
        <time dateTime={read.at}>
          {withDay && <span class="read-day">{dayName(read.at)}</span>}
          {timeOfDay(read.at)}
        </time>
        <PlateCrop read={read} />
        <span class="read-who">
          <strong>{isFound && read.label === "" ? <Marked text={who} part={part} /> : <Name text={who} />}</strong>
          <span class="soft small">
            {read.label !== "" && read.formatted !== null && (
              <span class="read-plate" data-found={isFound}>
                <Marked text={read.formatted} part={part} /> ·{" "}
              </span>
            )}
            <span class="read-outcome" data-state={state} {...(isPassed(read) ? { title: t("chain.legend") } : {})}>
              {text}
            </span>
            {corrected !== null && <span class="read-corrected">{corrected}</span>}
          </span>
        </span>
        <span class="read-way">
          {isUnread(read) && <span class="unread-dot" role="img" aria-label={t("gate.new")} />}
          <span title={seen}>
            <Icon name={WAY_ICONS[read.direction ?? "unknown"]} small />
            <span class="sr-only">{seen}</span>
          </span>
        </span>
      </a>
    </li>
  );
}
