import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Chip } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { PageActions } from "../../../console/components/page-actions.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { clockTime, dayName, type TextKey, t } from "../../../console/i18n/translate.ts";
import { keepStream } from "../../../console/live.ts";
import { LOG_LEVELS } from "../../../core/api/log-levels.ts";
import type { LogLine } from "../api/console-logs.ts";

/** Lines that are shown at most. */
const MOST_LINES = 500;
/** Lines that come in quickly are drawn together, at most this often. */
const DRAW_MS = 250;

const LEVEL_WORDS: Readonly<Record<LogLine["level"], TextKey>> = {
  debug: "log.debug",
  info: "log.info",
  warn: "log.warn",
  error: "log.error",
};

/** The hub's log as it is written: filtered, paused, copied. */
export function LogPage() {
  const [level, setLevel] = useState<LogLine["level"]>("info");
  const [part, setPart] = useState("");
  const [text, setText] = useState("");
  const [isHeld, setHeld] = useState(false);
  const { lines, parts } = useLines(level, isHeld);
  const wanted = text.trim().toLowerCase();
  const shown = lines.filter(
    (line) => (part === "" || line.part === part) && (wanted === "" || lineText(line).toLowerCase().includes(wanted)),
  );
  return (
    <>
      <PageHead title={t("log.title")} subtitle={t("log.subtitle")}>
        <PageActions
          others={[
            {
              text: isHeld ? t("log.resume") : t("log.pause"),
              icon: isHeld ? "play" : "pause",
              onClick: () => setHeld(!isHeld),
            },
            {
              text: t("secret.copy"),
              icon: "copy",
              disabled: shown.length === 0,
              onClick: () => void copyText(shown.map(lineText).join("\n")),
            },
          ]}
        />
      </PageHead>
      <Tabs of="/system" here="/system/log" />
      <Card>
        <div class="log-filters">
          <div class="chips" role="group" aria-label={t("log.level")}>
            {LOG_LEVELS.map((known) => (
              <Chip
                key={known}
                text={t(LEVEL_WORDS[known])}
                pressed={level === known}
                onClick={() => setLevel(known)}
              />
            ))}
          </div>
          <SearchField label={t("log.text")} value={text} onInput={setText} />
          <select
            class="input"
            aria-label={t("log.part")}
            value={part}
            onChange={(event) => setPart(event.currentTarget.value)}
          >
            <option value="">{t("log.everyPart")}</option>
            {parts.map((known) => (
              <option key={known} value={known}>
                {known}
              </option>
            ))}
          </select>
        </div>
        {shown.length === 0 ? <p class="soft">{t("log.empty")}</p> : <Lines lines={shown} follows={!isHeld} />}
      </Card>
    </>
  );
}

/** The windows of a browser share the stream of the whole log; each filters its own lines. */
const STREAM = "/api/stream?logs=debug";

/** The lines of a level, newest last, kept up to date while the page is open. */
function useLines(level: LogLine["level"], isHeld: boolean): { lines: readonly LogLine[]; parts: readonly string[] } {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [parts, setParts] = useState<readonly string[]>([]);
  useEffect(() => {
    if (isHeld) return;
    let waiting: LogLine[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const load = async (): Promise<void> => {
      waiting = [];
      setLines([]); // a hub that was restarted counts its lines from the start
      const answer = await get("/api/logs", { query: { level, limit: MOST_LINES } });
      setParts(answer.parts);
      setLines((known) => merged(answer.lines, known));
    };
    const draw = (): void => {
      const more = waiting;
      waiting = [];
      timer = null;
      setLines((known) => merged(known, more));
    };
    const stream = keepStream(STREAM, {
      opened: () => void load().catch(sayError),
      lost: () => {},
      received: (_, data) => {
        const line = JSON.parse(data) as LogLine; // the hub sends its own shape
        if (LOG_LEVELS.indexOf(line.level) < LOG_LEVELS.indexOf(level)) return;
        waiting.push(line);
        timer ??= setTimeout(draw, DRAW_MS);
      },
    });
    stream.hear("log.line");
    return () => {
      stream.close();
      if (timer !== null) clearTimeout(timer);
    };
  }, [level, isHeld]);
  return { lines, parts };
}

function merged(earlier: readonly LogLine[], later: readonly LogLine[]): readonly LogLine[] {
  const last = earlier.at(-1)?.id ?? 0;
  return [...earlier, ...later.filter((line) => line.id > last)].slice(-MOST_LINES);
}

function Lines({ lines, follows }: { lines: readonly LogLine[]; follows: boolean }) {
  const list = useRef<HTMLUListElement>(null);
  const newest = lines.at(-1)?.id;
  useEffect(() => {
    // Somebody who has scrolled up is reading; the list stays where it is.
    const at = list.current;
    if (at !== null && follows && at.scrollHeight - at.scrollTop - at.clientHeight < 160)
      at.scrollTop = at.scrollHeight;
  }, [newest, follows]);
  useEffect(() => {
    if (list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
    <ul class="log" ref={list} tabIndex={0} aria-label={t("log.title")}>
      {runsOf(lines).map(({ line, day, times }) => [
        day !== null && (
          <li key={`day ${line.id}`} class="log-day">
            {day}
          </li>
        ),
        <li key={line.id}>
          <time dateTime={line.at}>{clockTime(line.at)}</time>
          <span class={`level-${line.level}`}>{t(LEVEL_WORDS[line.level])}</span>
          <span class="soft">{line.part ?? "hub"}</span>
          <span>
            {times > 1 && <strong class="log-times">{t("log.times", { n: times })}</strong>} {line.message}{" "}
            <span class="soft">{line.detail}</span>
          </span>
        </li>,
      ])}
    </ul>
  );
}

/** One line, or several of the same words in a row as the last of them; `day`: the name of the day that it begins. */
interface Run {
  readonly line: LogLine;
  readonly times: number;
  readonly day: string | null;
}

/** The lines as they are shown: what says the same as its neighbour counts once, and each day has its name. */
function runsOf(lines: readonly LogLine[]): readonly Run[] {
  const runs: Run[] = [];
  let day = "";
  for (const line of lines) {
    const last = runs.at(-1);
    const today = dayName(line.at);
    if (last !== undefined && today === day && isSame(last.line, line)) {
      runs[runs.length - 1] = { line, times: last.times + 1, day: last.day };
      continue;
    }
    runs.push({ line, times: 1, day: today === day ? null : today });
    day = today;
  }
  return runs;
}

/** Of warnings and errors each is shown unless it is the same to the letter. */
function isSame(one: LogLine, other: LogLine): boolean {
  const mayDiffer = one.level === "info" || one.level === "debug";
  return (
    one.message === other.message &&
    one.level === other.level &&
    one.part === other.part &&
    (mayDiffer || one.detail === other.detail)
  );
}

function lineText(line: LogLine): string {
  return [line.at, line.level, line.part ?? "hub", line.message, line.detail].join(" ").trim();
}
