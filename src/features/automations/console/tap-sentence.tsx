import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button, Chip } from "../../../console/components/button.tsx";
import { DaysField } from "../../../console/components/days-field.tsx";
import { Dialog } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import {
  isSaidOfDevice,
  kindOf,
  operatorsFor,
  operatorText,
  valueWord,
} from "../../../console/components/state-values.ts";
import { measureName, unitOf } from "../../../console/i18n/measures.ts";
import { clockText, duration, type TextKey, t } from "../../../console/i18n/translate.ts";
import { deviceList, devices, scenes } from "../../../console/store.ts";
import type { Block } from "./block-editor.tsx";
import type { Draft } from "./rule-draft.ts";
import {
  anyDeviceText,
  commandText,
  commandWords,
  pictureText,
  sentence,
  titleText,
  whomText,
} from "./rule-sentence.ts";
import {
  actionOptions,
  commandsOf,
  comparedWith,
  conditionOptions,
  fieldsOf,
  kindsWith,
  LENGTHS,
  type Option,
  oppositeOf,
  pictureOptions,
  triggerOptions,
  whomOptions,
} from "./tap-options.ts";
import "./tap.css";

/** What can be chosen behind a word. */
interface Sheet {
  readonly title: string;
  readonly options?: readonly {
    readonly text: string;
    readonly group?: string;
    readonly isChosen?: boolean;
    readonly choose: () => void;
  }[];
  /** Fields for what cannot be tapped; `done` closes the sheet. */
  readonly fields?: (done: () => void) => ComponentChildren;
  readonly remove?: () => void;
}

/** Replaces a block; null removes it. */
type Put = (block: Block | null) => void;

const OFFSETS = [-60, -30, -15, 0, 15, 30, 60];
const TIMES = ["06:00", "07:00", "08:00", "18:00", "20:00", "22:00", "23:00"];
const WEEK: readonly (readonly [TextKey, readonly number[]])[] = [
  ["block.everyDay", []],
  ["tap.weekdays", [1, 2, 3, 4, 5]],
  ["tap.weekend", [6, 7]],
];

/** A rule as a sentence; every word that can be another one is a button. */
export function TapSentence({
  draft,
  away,
  onChange,
}: {
  draft: Draft;
  /** The state that says that the house is away; null: nothing says so. */
  away: Block | null;
  onChange: (part: Partial<Draft>) => void;
}) {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const { triggers, conditions, actions, otherwise } = draft;
  const choose = (title: string, options: readonly Option[], add: (block: Block) => void) => (): void =>
    setSheet({ title, options: options.map(({ text, group, block }) => ({ text, group, choose: () => add(block) })) });
  const list = (
    blocks: readonly Block[],
    key: "triggers" | "conditions" | "actions" | "otherwise",
    join: string,
  ): ComponentChildren =>
    blocks.map((block, index) => (
      <span class="tap-part" key={index}>
        {index > 0 && `${join} `}
        <Phrase
          block={block}
          open={setSheet}
          away={away}
          isTrigger={key === "triggers"}
          byCar={triggers.some(({ type }) => type === "plate")}
          isLast={index === blocks.length - 1}
          hold={holdOf(blocks, index)}
          onHold={(seconds) => onChange({ [key]: withHold(blocks, index, seconds) })}
          put={(next) => {
            const others = blocks.flatMap((one, at) => (at === index ? (next === null ? [] : [next]) : [one]));
            const hold = holdOf(blocks, blocks.length - 1);
            const isHeld = hold !== null && (next !== null || index < blocks.length - 1);
            onChange({ [key]: isHeld ? withHold(others, others.length - 1, hold) : others });
          }}
        />
      </span>
    ));
  const shownActions = withoutTail(actions);
  const shownOtherwise = withoutTail(otherwise);
  return (
    <div class="tap-sentence">
      <p>
        <strong>{t("rule.when")}</strong> {list(triggers, "triggers", ` ${t("say.or")}`)}{" "}
        <Add
          text={triggers.length === 0 ? t("tap.chooseWhen") : t("tap.or")}
          isEmpty={triggers.length === 0}
          onClick={choose(t("rule.when"), triggerOptions(away), (block) =>
            onChange({ triggers: [...triggers, block] }),
          )}
        />
      </p>
      <p>
        {conditions.length > 0 && <strong>{t("tap.onlyIf")}</strong>}{" "}
        {list(conditions, "conditions", ` ${t("say.and")}`)}{" "}
        <Add
          text={conditions.length === 0 ? t("tap.onlyIfAdd") : t("tap.and")}
          onClick={choose(t("rule.onlyIf"), conditionOptions(away), (block) =>
            onChange({ conditions: [...conditions, block] }),
          )}
        />
      </p>
      <p>
        <strong>{t("tap.then")}</strong> {list(shownActions, "actions", t("tap.andThen"))}{" "}
        <Add
          text={actions.length === 0 ? t("tap.chooseThen") : t("tap.and")}
          isEmpty={actions.length === 0}
          onClick={choose(t("rule.then"), actionOptions(triggers), (block) =>
            onChange({ actions: added(actions, block) }),
          )}
        />
      </p>
      {(conditions.length > 0 || otherwise.length > 0) && (
        <p>
          {otherwise.length > 0 && <strong>{t("tap.otherwise")}</strong>}{" "}
          {list(shownOtherwise, "otherwise", t("tap.andThen"))}{" "}
          <Add
            text={otherwise.length === 0 ? t("tap.otherwiseAdd") : t("tap.and")}
            onClick={choose(t("tap.otherwise"), actionOptions(triggers), (block) =>
              onChange({ otherwise: added(otherwise, block) }),
            )}
          />
        </p>
      )}
      {sheet !== null && <TapSheet key={sheet.title} sheet={sheet} onClose={() => setSheet(null)} />}
    </div>
  );
}

function Add({ text, isEmpty = false, onClick }: { text: string; isEmpty?: boolean; onClick: () => void }) {
  return (
    <button type="button" class={isEmpty ? "tap empty" : "tap add"} aria-haspopup="dialog" onClick={onClick}>
      {text}
    </button>
  );
}

/** One trigger, condition or action with its words to tap. */
function Phrase({
  block,
  open,
  away,
  isTrigger,
  byCar,
  isLast,
  hold,
  onHold,
  put,
}: {
  block: Block;
  open: (sheet: Sheet) => void;
  away: Block | null;
  isTrigger: boolean;
  /** Whether a car can start the rule. */
  byCar: boolean;
  isLast: boolean;
  /** For how long what it does lasts, in seconds; null: for good. */
  hold: number | null;
  onHold: (seconds: number | null) => void;
  put: Put;
}) {
  const remove = (): void => put(null);
  const set = (members: Readonly<Record<string, unknown>>): void =>
    put({
      ...Object.fromEntries(Object.entries({ ...block, ...members }).filter(([, value]) => value !== undefined)),
      type: block.type,
    });
  const word = (text: string, sheet: Omit<Sheet, "remove">): ComponentChildren => (
    <button type="button" class="tap" aria-haspopup="dialog" onClick={() => open({ ...sheet, remove })}>
      {text}
    </button>
  );
  const lengths = (
    title: string,
    chosen: number | null,
    choose: (seconds: number) => void,
    more: Sheet["options"] = [],
  ) => ({
    title,
    options: [
      ...more,
      ...LENGTHS.map((seconds) => ({
        text: duration(seconds),
        isChosen: seconds === chosen,
        choose: () => choose(seconds),
      })),
    ],
    fields: (done: () => void) => (
      <NumberField
        label={t("tap.minutes")}
        value={chosen === null ? "" : String(Math.round(chosen / 60))}
        onDone={(minutes) => {
          choose(Math.max(1, minutes) * 60);
          done();
        }}
      />
    ),
  });
  const time = (key: "at" | "from" | "to"): ComponentChildren =>
    word(clockText(String(block[key])), {
      title: t("tap.time"),
      options: TIMES.map((at) => ({
        text: clockText(at),
        isChosen: block[key] === at,
        choose: () => set({ [key]: at }),
      })),
      fields: (done) => (
        <TimeField
          value={String(block[key])}
          onDone={(at) => {
            set({ [key]: at });
            done();
          }}
        />
      ),
    });
  const days = (): ComponentChildren => {
    const chosen = Array.isArray(block.days) ? block.days.map(Number) : [];
    const named = WEEK.find(([, one]) => JSON.stringify(one) === JSON.stringify(chosen));
    return word(named === undefined ? sentence({ ...block, type: "days" }) : t(named[0]), {
      title: t("block.days"),
      options: WEEK.map(([text, one]) => ({
        text: t(text),
        isChosen: named?.[0] === text,
        choose: () => set({ days: [...one] }),
      })),
      fields: (done) => (
        <>
          <DaysField label={t("block.days")} days={chosen} onChange={(next) => set({ days: next })} />
          <Button text={t("tap.done")} onClick={done} />
        </>
      ),
    });
  };
  const device = devices.value.get(String(block.deviceId ?? ""));
  const deviceWord = (wanted: (one: typeof device) => Block | null): ComponentChildren =>
    word(device?.name ?? t("tap.aDevice"), {
      title: t("block.device"),
      options: deviceList.value.flatMap((one) => {
        const next = wanted(one);
        return next === null
          ? []
          : [
              {
                text: one.name,
                group: one.room ?? t("tap.devices"),
                isChosen: one.id === block.deviceId,
                choose: () => put(next),
              },
            ];
      }),
    });
  const picture = (): ComponentChildren => {
    const offered = pictureOptions(byCar || JSON.stringify(block.picture) === '{"type":"read"}');
    if (offered.length === 0) return pictureText(block.picture);
    const isNone = block.picture === undefined;
    const sheet: Sheet = {
      title: t("tap.withPicture"),
      options: [
        { text: t("tap.noPicture"), isChosen: isNone, choose: () => set({ picture: undefined }) },
        ...offered.map((one) => ({
          text: one.text,
          group: one.group,
          isChosen: JSON.stringify(one.picture) === JSON.stringify(block.picture),
          choose: () => set({ picture: one.picture }),
        })),
      ],
    };
    return (
      <button type="button" class={isNone ? "tap add" : "tap"} aria-haspopup="dialog" onClick={() => open(sheet)}>
        {isNone ? t("tap.pictureAdd") : pictureText(block.picture)}
      </button>
    );
  };
  const isAway =
    away !== null &&
    block.deviceId === away.deviceId &&
    block.field === away.field &&
    block.op === away.op &&
    block.value === away.value;
  if (isAway) return word(t("tap.away"), { title: t("tap.house") });
  switch (block.type) {
    case "time":
      return block.at === undefined
        ? fill("say.window", { from: time("from"), to: time("to") })
        : fill("tap.timeIs", { at: time("at"), days: days() });
    case "days":
      return fill("tap.plain", { what: days() });
    case "sun":
      if (block.is !== undefined)
        return word(sentence(block), {
          title: t("block.sunIs"),
          options: (["down", "up"] as const).map((is) => ({
            text: t(is === "up" ? "say.sunUp" : "say.sunDown"),
            isChosen: block.is === is,
            choose: () => set({ is }),
          })),
        });
      return fill("tap.sun", {
        offset: word(offsetText(Number(block.offsetMinutes ?? 0)), {
          title: t("block.offset"),
          options: OFFSETS.map((offsetMinutes) => ({
            text: offsetText(offsetMinutes),
            isChosen: Number(block.offsetMinutes ?? 0) === offsetMinutes,
            choose: () => set({ offsetMinutes }),
          })),
        }),
        event: word(t(block.event === "sunrise" ? "sun.sunrise" : "sun.sunset"), {
          title: t("block.event"),
          options: (["sunrise", "sunset"] as const).map((event) => ({
            text: t(`sun.${event}`),
            isChosen: block.event === event,
            choose: () => set({ event }),
          })),
        }),
      });
    case "interval":
      return fill("say.interval", {
        every: word(
          duration(Number(block.everySeconds)),
          lengths(t("trigger.interval"), Number(block.everySeconds), (everySeconds) => set({ everySeconds })),
        ),
      });
    case "plate":
    case "occupancy":
      return word(sentence(block), {
        title: t("tap.atGate"),
        options: triggerOptions(null)
          .filter(({ group }) => group === t("tap.atGate"))
          .map((one) => ({
            text: one.text,
            isChosen: JSON.stringify(one.block) === JSON.stringify(block),
            choose: () => put(one.block),
          })),
      });
    case "state":
    case "any_state": {
      const key = String(block.field);
      const kind =
        block.type === "any_state" ? (typeof block.value === "number" ? "number" : "boolean") : kindOf(device, key);
      const compared = comparedWith(device, key);
      const ops = operatorsFor(kind, String(block.op)).filter(
        (op) => !["in", "contains", ...(block.type === "any_state" ? ["changed"] : [])].includes(op) || op === block.op,
      );
      const opText = (op: string): string => operatorText(op, key);
      const value = (): ComponentChildren =>
        block.value === undefined
          ? ""
          : word(valueWord(key, block.value), {
              title: measureName(key),
              options: compared.map((one) => ({
                text: valueWord(key, one),
                isChosen: one === block.value,
                choose: () => set({ value: one }),
              })),
              ...(kind === "number"
                ? {
                    fields: (done: () => void) => (
                      <NumberField
                        label={`${measureName(key)} ${unitOf(key)}`.trim()}
                        value={String(block.value)}
                        onDone={(next) => {
                          set({ value: next });
                          done();
                        }}
                      />
                    ),
                  }
                : {}),
            });
      const isSaid = isSaidOfDevice(key, String(block.op));
      const fields =
        block.type === "any_state"
          ? triggerOptions(null)
              .filter((one) => one.block.type === "any_state")
              .map((one) => ({
                text: measureName(String(one.block.field)),
                isChosen: one.block.field === key,
                choose: () => put(one.block),
              }))
          : fieldsOf(device).map((field) => ({
              text: field.name,
              isChosen: field.key === key,
              choose: () => {
                const next = kindOf(device, field.key);
                const words = comparedWith(device, field.key);
                set({
                  field: field.key,
                  op: next === "number" ? "gt" : next === "text" ? "eq" : "truthy",
                  value:
                    next === "number"
                      ? Number(device?.state[field.key] ?? 0)
                      : next === "text"
                        ? (words[0] ?? "")
                        : undefined,
                });
              },
            }));
      return fill(isSaid ? "say.switched" : "tap.state", {
        device:
          block.type === "any_state"
            ? word(anyDeviceText(block.deviceType), {
                title: t("tap.whichDevices"),
                options: [undefined, ...kindsWith(key)].map((deviceType) => ({
                  text: anyDeviceText(deviceType),
                  isChosen: block.deviceType === deviceType,
                  choose: () => set({ deviceType }),
                })),
              })
            : deviceWord((one) => {
                if (one === undefined) return null;
                const has = fieldsOf(one).some((field) => field.key === key);
                const first = has ? null : conditionOptions(null).find((option) => option.block.deviceId === one.id);
                return has
                  ? { ...block, deviceId: one.id }
                  : first === undefined
                    ? null
                    : { ...first?.block, type: block.type };
              }),
        field: isSaid ? "" : word(measureName(key), { title: t("block.field"), options: fields }),
        op: word(opText(String(block.op)), {
          title: t("block.op"),
          options: [
            ...ops.map((op) => ({
              text: opText(op),
              isChosen: op === block.op,
              choose: () =>
                set({
                  op,
                  value: ["truthy", "falsy", "changed"].includes(op) ? undefined : (block.value ?? compared[0] ?? 0),
                }),
            })),
            // the sentence has no word of its own for the value
            ...(isSaid
              ? fields.filter(({ isChosen }) => !isChosen).map((field) => ({ ...field, group: t("tap.somethingElse") }))
              : []),
          ],
        }),
        value: value(),
        hold: isTrigger && (
          <button
            type="button"
            class={block.forSeconds === undefined ? "tap add" : "tap"}
            aria-haspopup="dialog"
            onClick={() =>
              open(
                lengths(
                  t("tap.howLong"),
                  block.forSeconds === undefined ? null : Number(block.forSeconds),
                  (forSeconds) => set({ forSeconds }),
                  [
                    {
                      text: t("tap.atOnce"),
                      isChosen: block.forSeconds === undefined,
                      choose: () => set({ forSeconds: undefined }),
                    },
                  ],
                ),
              )
            }
          >
            {block.forSeconds === undefined
              ? t("tap.holdAdd")
              : t("say.hold", { time: duration(Number(block.forSeconds)) })}
          </button>
        ),
      });
    }
    case "device":
      return fill("say.device", {
        device: deviceWord((one) => (one === undefined ? null : { ...block, deviceId: one.id })),
        event: word(t(block.event === "online" ? "device.online" : "device.offline"), {
          title: t("block.event"),
          options: (["online", "offline"] as const).map((event) => ({
            text: t(`device.${event}`),
            isChosen: block.event === event,
            choose: () => set({ event }),
          })),
        }),
      });
    case "command": {
      const opposite = oppositeOf(block.command);
      const { frame, what } = commandWords(block.command);
      return (
        <>
          {fill(frame, {
            device: deviceWord((one) => {
              const own = commandsOf(one);
              const same = own.find((command) => JSON.stringify(command) === JSON.stringify(block.command)) ?? own[0];
              return one === undefined || same === undefined ? null : { ...block, deviceId: one.id, command: same };
            }),
            what: word(what, {
              title: device?.name ?? t("block.command"),
              options: withOwn(commandsOf(device), block.command).map((command) => ({
                text: commandText(command),
                isChosen: JSON.stringify(command) === JSON.stringify(block.command),
                choose: () => set({ command }),
              })),
            }),
          })}{" "}
          {isLast && opposite !== null && (
            <button
              type="button"
              class={hold === null ? "tap add" : "tap"}
              aria-haspopup="dialog"
              onClick={() =>
                open(
                  lengths(t("tap.howLong"), hold, onHold, [
                    { text: t("tap.forGood"), isChosen: hold === null, choose: () => onHold(null) },
                  ]),
                )
              }
            >
              {hold === null ? t("tap.forAdd") : t("say.hold", { time: duration(hold) })}
            </button>
          )}
        </>
      );
    }
    case "scene":
      return fill("say.scene", {
        scene: word(scenes.value.find(({ id }) => id === block.sceneId)?.name ?? t("block.choose"), {
          title: t("nav.scenes"),
          options: scenes.value.map(({ id, name }) => ({
            text: name,
            isChosen: id === block.sceneId,
            choose: () => set({ sceneId: id }),
          })),
        }),
      });
    case "delay":
      return fill("say.delay", {
        time: word(
          duration(Number(block.seconds)),
          lengths(t("do.delay"), Number(block.seconds), (seconds) => set({ seconds })),
        ),
      });
    case "notify":
      return fill("tap.notify", {
        whom: word(whomText(block.to), {
          title: t("tap.whom"),
          options: [
            { text: t("tap.toEverybody"), isChosen: block.to === undefined, choose: () => set({ to: undefined }) },
            ...whomOptions(block.to).map(({ text, group, to }) => ({
              text,
              group,
              isChosen: JSON.stringify(to) === JSON.stringify(block.to),
              choose: () => set({ to }),
            })),
          ],
        }),
        picture: picture(),
        title: word(String(block.title) === "" ? t("tap.whatHappened") : `“${titleText(block.title)}”`, {
          title: t("do.notify"),
          fields: (done) => (
            <MessageFields
              block={block}
              onDone={(title, body) => {
                set({ title, body });
                done();
              }}
            />
          ),
        }),
      });
    default:
      return word(sentence(block), { title: t("tap.inDetail") });
  }
}

/** A text of the catalogue with elements in place of its values, in the order of its language. */
function fill(key: TextKey, parts: Readonly<Record<string, ComponentChildren>>): ComponentChildren {
  const marked = t(key, Object.fromEntries(Object.keys(parts).map((name) => [name, `⟦${name}⟧`])));
  return marked.split(/(⟦\w+⟧)/).map((piece, index) => {
    const name = /^⟦(\w+)⟧$/.exec(piece)?.[1];
    return <span key={index}>{name === undefined ? piece : parts[name]}</span>;
  });
}

/** What a device offers, and what the rule has now if that is something else. */
function withOwn(offered: readonly Readonly<Record<string, unknown>>[], own: unknown) {
  const isOffered = offered.some((one) => JSON.stringify(one) === JSON.stringify(own));
  return isOffered || typeof own !== "object" || own === null
    ? offered
    : [own as Readonly<Record<string, unknown>>, ...offered];
}

function offsetText(minutes: number): string {
  if (minutes === 0) return t("tap.exactly");
  return minutes > 0 ? t("say.after", { n: minutes }) : t("say.before", { n: -minutes });
}

/** For how long the last command lasts: it is followed by a wait and the command that takes it back. */
function holdOf(shown: readonly Block[], index: number): number | null {
  const tail = TAILS.get(shown);
  return index === shown.length - 1 && tail !== undefined ? tail : null;
}

/** Of each list without its tail, the tail's length in seconds. */
const TAILS = new WeakMap<readonly Block[], number>();

/** Actions without the wait and the opposite command at their end, which are told as "for 5 min". */
function withoutTail(actions: readonly Block[]): readonly Block[] {
  const [command, delay, back] = actions.slice(-3);
  if (
    command?.type !== "command" ||
    delay?.type !== "delay" ||
    back?.type !== "command" ||
    back.deviceId !== command.deviceId ||
    JSON.stringify(oppositeOf(command.command)) !== JSON.stringify(back.command)
  )
    return actions;
  const shown = actions.slice(0, -2);
  TAILS.set(shown, Number(delay.seconds));
  return shown;
}

/** The shown actions with a hold of the last one. */
function withHold(shown: readonly Block[], index: number, seconds: number | null): readonly Block[] {
  const command = shown[index];
  const back = oppositeOf(command?.command);
  if (command === undefined || back === null || seconds === null) return shown;
  return [...shown, { type: "delay", seconds }, { type: "command", deviceId: command.deviceId, command: back }];
}

/** A further action; what lasts for a while stays the last, so that nothing waits for it. */
function added(actions: readonly Block[], block: Block): readonly Block[] {
  const shown = withoutTail(actions);
  if (shown === actions) return [...actions, block];
  return [...actions.slice(0, shown.length - 1), block, ...actions.slice(shown.length - 1)];
}

function TapSheet({ sheet, onClose }: { sheet: Sheet; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const options = (sheet.options ?? []).filter(({ text, group = "" }) =>
    `${text} ${group}`.toLowerCase().includes(typed.trim().toLowerCase()),
  );
  const groups = [...new Set(options.map(({ group }) => group ?? ""))];
  return (
    <Dialog title={sheet.title} onClose={onClose}>
      <div class="tap-sheet">
        {(sheet.options ?? []).length > 14 && (
          <TextField type="search" label={t("tap.search")} value={typed} onInput={setTyped} />
        )}
        {groups.map((group) => (
          <section key={group} class="stack">
            {group !== "" && <h3 class="soft small">{group}</h3>}
            <div class="chips">
              {options
                .filter((one) => (one.group ?? "") === group)
                .map((one) => (
                  <Chip
                    key={one.text}
                    text={one.text}
                    pressed={one.isChosen === true}
                    onClick={() => {
                      one.choose();
                      onClose();
                    }}
                  />
                ))}
            </div>
          </section>
        ))}
        {sheet.fields?.(onClose)}
        <div class="row between">
          {sheet.remove !== undefined ? (
            <Button
              look="danger"
              text={t("tap.remove")}
              onClick={() => {
                sheet.remove?.();
                onClose();
              }}
            />
          ) : (
            <span />
          )}
          <Button text={t("action.cancel")} onClick={onClose} />
        </div>
      </div>
    </Dialog>
  );
}

function NumberField({ label, value, onDone }: { label: string; value: string; onDone: (value: number) => void }) {
  const [typed, setTyped] = useState(value);
  const number = Number(typed.replace(",", "."));
  const isGood = typed.trim() !== "" && Number.isFinite(number);
  return (
    <div class="row tap-field">
      <TextField label={label} inputMode="decimal" value={typed} onInput={setTyped} />
      <Button look="primary" text={t("tap.done")} disabled={!isGood} onClick={() => onDone(number)} />
    </div>
  );
}

function TimeField({ value, onDone }: { value: string; onDone: (at: string) => void }) {
  const [typed, setTyped] = useState(value);
  return (
    <div class="row tap-field">
      <TextField type="time" label={t("tap.time")} value={typed} onInput={setTyped} />
      <Button look="primary" text={t("tap.done")} disabled={!/^\d\d:\d\d$/.test(typed)} onClick={() => onDone(typed)} />
    </div>
  );
}

function MessageFields({ block, onDone }: { block: Block; onDone: (title: string, body: string) => void }) {
  const [title, setTitle] = useState(String(block.title ?? ""));
  const [body, setBody] = useState(String(block.body ?? ""));
  return (
    <div class="stack">
      <TextField
        label={t("block.title")}
        value={title}
        onInput={setTitle}
        hint={t("tap.placeholders", { open: "{", close: "}" })}
      />
      <TextField label={t("block.body")} value={body} onInput={setBody} />
      <Button look="primary" text={t("tap.done")} disabled={title.trim() === ""} onClick={() => onDone(title, body)} />
    </div>
  );
}
