import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../../console/components/button.tsx";
import { DaysField } from "../../../console/components/days-field.tsx";
import { kindOf, operatorsFor, operatorText, valuesOf, valueWord } from "../../../console/components/state-values.ts";
import { measureName, unitOf } from "../../../console/i18n/measures.ts";
import { clockText, duration, type TextKey, t } from "../../../console/i18n/translate.ts";
import { type Device, devices, scenes } from "../../../console/store.ts";
import type { Block } from "./block-editor.tsx";
import { type Command, choicesFor, commandWords, firstCommand, numberIn, rangesOf, startOf } from "./command-words.ts";
import type { Draft } from "./rule-draft.ts";
import { added, holdOf, oppositeOf, withHold, withoutTail } from "./rule-holds.ts";
import { type Missing, missingIn } from "./rule-missing.ts";
import {
  anyDeviceText,
  capital,
  daysWord,
  fieldWord,
  isMoment,
  offsetWord,
  pictureText,
  sentence,
  titleText,
  whomText,
} from "./rule-sentence.ts";
import { firstQuestion, saidWhole, valueFor, wholeQuestions } from "./state-questions.ts";
import { type Filled, MessageForm, NumberField, RangeSetter, TimeField } from "./tap-fields.tsx";
import {
  aboutOf,
  actionOptions,
  byRoom,
  comparedWith,
  conditionOptions,
  fieldsOf,
  houseActions,
  houseConditions,
  houseTriggers,
  kindsWith,
  LENGTHS,
  type Option,
  pictureOptions,
  questionOf,
  triggerOptions,
  whomOptions,
} from "./tap-options.ts";
import { type Sheet, type SheetOption, TapSheet } from "./tap-sheet.tsx";
import { usualBlock, usualDevice } from "./usual-blocks.ts";
import "./tap.css";

/** Replaces a block; null removes it. */
type Put = (block: Block | null) => void;

type List = Missing["list"];

const OFFSETS = [-60, -30, -15, 0, 15, 30, 60];
const TIMES = ["06:00", "07:00", "08:00", "18:00", "20:00", "22:00", "23:00"];
const WEEK: readonly (readonly [TextKey, readonly number[]])[] = [
  ["block.everyDay", []],
  ["tap.weekdays", [1, 2, 3, 4, 5]],
  ["tap.weekend", [6, 7]],
];

/**
 * A word that was chosen is another button than the one that led to the choice: for a keyboard the focus goes on at its
 * place, instead of to the top of the page.
 */
function useWordsFocus(sheet: Sheet | null) {
  const whole = useRef<HTMLDivElement>(null);
  const place = useRef(-1);
  const words = (): HTMLElement[] =>
    [...(whole.current?.querySelectorAll("button") ?? [])].filter((word) => word.closest("dialog") === null);
  useLayoutEffect(() => {
    const { activeElement: at } = document; // before the sheet takes it
    const pressed = sheet === null || !(at instanceof HTMLElement) ? -1 : words().indexOf(at);
    if (pressed >= 0) place.current = pressed;
    if (sheet !== null || place.current < 0) return;
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body || document.activeElement === null)
        words()[Math.min(place.current, words().length - 1)]?.focus();
      place.current = -1;
    });
    return () => cancelAnimationFrame(frame);
  }, [sheet]);
  return whole;
}

/** A rule as a sentence; every word that can be another one is a button, and what can be added stands on a quiet line. */
export function TapSentence({
  draft,
  isTried,
  onChange,
}: {
  draft: Draft;
  /** Somebody has tried to save it: what is missing is marked. */
  isTried: boolean;
  onChange: (part: Partial<Draft>) => void;
}) {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const whole = useWordsFocus(sheet);
  const { triggers, conditions, actions, otherwise } = draft;
  const missing = isTried ? missingIn(draft) : [];
  const isMissing = (list: List, index: number | null): boolean =>
    missing.some((one) => one.list === list && one.index === index);
  /** What can be chosen is put together when somebody wants to: with many devices that takes a moment. */
  const choose = (title: string, options: () => readonly Option[], add: (block: Block) => void) => (): void =>
    setSheet({
      title,
      options: options().map(({ block, ...option }) => ({
        ...option,
        usual: usualBlock(block),
        choose: () => add(block),
      })),
    });
  const byCar = triggers.some(({ type }) => type === "plate");
  /** What every phrase of a list gets. */
  const phraseOf = (blocks: readonly Block[], key: List, index: number) => ({
    block: blocks[index] as Block, // within the list
    open: setSheet,
    isTrigger: key === "triggers",
    byCar,
    filled: filledBy(triggers),
    isMissing: isMissing(key, index),
    hold: index === blocks.length - 1 ? holdOf(draft[key]) : null,
    onHold: (seconds: number | null) => onChange({ [key]: withHold(blocks, index, seconds) }),
    put: (next: Block | null) => {
      const others = blocks.flatMap((one, at) => (at === index ? (next === null ? [] : [next]) : [one]));
      const hold = holdOf(draft[key]);
      const isHeld = hold !== null && (next !== null || index < blocks.length - 1);
      onChange({ [key]: isHeld ? withHold(others, others.length - 1, hold) : others });
    },
  });
  const list = (blocks: readonly Block[], key: List, join: string): ComponentChildren =>
    blocks.map((block, index) => {
      const leads = key === "triggers" && (index === 0 || isMoment(blocks[index - 1] as Block)) && !isMoment(block);
      return (
        <span class="tap-part" key={index}>
          {index > 0 && `${join} `}
          {leads && <strong>{index === 0 ? t("rule.when") : t("rule.when").toLocaleLowerCase()} </strong>}
          <Phrase {...phraseOf(blocks, key, index)} isFirst={key === "triggers" && index === 0} />
        </span>
      );
    });
  /** What can be added to the phrases of a list. */
  const extras = (blocks: readonly Block[], key: List): ComponentChildren =>
    blocks.map((_block, index) => (
      <Extras
        key={index}
        {...phraseOf(blocks, key, index)}
        isLast={index === blocks.length - 1}
        isOne={blocks.length === 1}
      />
    ));
  const add = (key: List, blocks: readonly Block[]): { readonly onClick: () => void } => {
    if (key === "triggers")
      return {
        onClick: choose(t("rule.trigger"), triggerOptions, (block) => onChange({ triggers: [...blocks, block] })),
      };
    if (key === "conditions")
      return {
        onClick: choose(t("rule.onlyIf"), conditionOptions, (block) => onChange({ conditions: [...blocks, block] })),
      };
    const title = t(key === "actions" ? "rule.then" : "tap.otherwise");
    return {
      onClick: choose(
        title,
        () => actionOptions(triggers),
        (block) => onChange({ [key]: added(blocks, block) }),
      ),
    };
  };
  const shownActions = withoutTail(actions);
  const shownOtherwise = withoutTail(otherwise);
  return (
    <div class="tap-sentence" ref={whole}>
      <Clause
        extras={
          triggers.length > 0 && (
            <>
              <Add text={t("tap.or")} {...add("triggers", triggers)} />
              {conditions.length === 0 && <Add text={t("tap.onlyIfAdd")} {...add("conditions", conditions)} />}
              {extras(triggers, "triggers")}
            </>
          )
        }
      >
        {triggers.length === 0 ? (
          <>
            <strong>{t("rule.when")}</strong>{" "}
            <Add
              text={t("tap.chooseWhen")}
              isEmpty
              isMissing={isMissing("triggers", null)}
              {...add("triggers", triggers)}
            />
          </>
        ) : (
          list(triggers, "triggers", ` ${t("say.or")}`)
        )}
        ,
      </Clause>
      {conditions.length > 0 && (
        <Clause extras={<Add text={t("tap.and")} {...add("conditions", conditions)} />}>
          <strong>{t("tap.onlyIf")}</strong> {list(conditions, "conditions", ` ${t("say.and")}`)},
        </Clause>
      )}
      <Clause
        extras={
          actions.length > 0 && (
            <>
              <Add text={t("tap.and")} {...add("actions", actions)} />
              {extras(shownActions, "actions")}
              {conditions.length > 0 && otherwise.length === 0 && (
                <Add text={t("tap.otherwiseAdd")} {...add("otherwise", otherwise)} />
              )}
            </>
          )
        }
      >
        <strong>{t("tap.then")}</strong>{" "}
        {actions.length === 0 ? (
          <Add text={t("tap.chooseThen")} isEmpty isMissing={isMissing("actions", null)} {...add("actions", actions)} />
        ) : (
          list(shownActions, "actions", t("tap.andThen"))
        )}
        {t("tap.end")}
      </Clause>
      {otherwise.length > 0 && (
        <Clause
          extras={
            <>
              <Add text={t("tap.and")} {...add("otherwise", otherwise)} />
              {extras(shownOtherwise, "otherwise")}
            </>
          }
        >
          <strong>{capital(t("tap.otherwise"))}</strong> {list(shownOtherwise, "otherwise", t("tap.andThen"))}
          {t("tap.end")}
        </Clause>
      )}
      {sheet !== null && <TapSheet key={sheet.title} sheet={sheet} onClose={() => setSheet(null)} />}
    </div>
  );
}

/** One part of the sentence, with a quiet line of what can be added to it. */
function Clause({ extras, children }: { extras: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="tap-clause">
      <p>{children}</p>
      {extras !== false && <p class="tap-extras">{extras}</p>}
    </div>
  );
}

function Add({
  text,
  isEmpty = false,
  isMissing = false,
  onClick,
}: {
  text: string;
  isEmpty?: boolean;
  isMissing?: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      class={isEmpty ? "tap empty" : "tap add"}
      aria-haspopup="dialog"
      {...(isMissing ? { "aria-invalid": true } : {})}
      onClick={onClick}
    >
      {text}
    </button>
  );
}

interface PhraseProps {
  readonly block: Block;
  readonly open: (sheet: Sheet) => void;
  readonly isTrigger: boolean;
  /** Whether a car can start the rule. */
  readonly byCar: boolean;
  /** What the hub can fill into its messages. */
  readonly filled: readonly Filled[];
  readonly isMissing: boolean;
  /** For how long what it does lasts, in seconds; null: for good. */
  readonly hold: number | null;
  readonly onHold: (seconds: number | null) => void;
  readonly put: Put;
}

/** The members of a block with others in their place; undefined removes one. */
function changed(block: Block, members: Readonly<Record<string, unknown>>): Block {
  return {
    ...Object.fromEntries(Object.entries({ ...block, ...members }).filter(([, value]) => value !== undefined)),
    type: block.type,
  };
}

/** A sheet with lengths of time. */
function lengths(
  title: string,
  chosen: number | null,
  choose: (seconds: number) => void,
  more: readonly SheetOption[] = [],
): Sheet {
  return {
    title,
    options: [
      ...more,
      ...LENGTHS.map((seconds) => ({
        text: duration(seconds),
        isChosen: seconds === chosen,
        choose: () => choose(seconds),
      })),
    ],
    fields: (done) => (
      <NumberField
        label={t("tap.minutes")}
        value={chosen === null ? "" : String(Number((chosen / 60).toFixed(2)))}
        onDone={(minutes) => {
          choose(Math.max(1, Math.round(minutes * 60)));
          done();
        }}
      />
    ),
  };
}

/** How long a value has to last before it counts. */
function holdSheet(block: Block, put: Put): Sheet {
  const chosen = block.forSeconds === undefined ? null : Number(block.forSeconds);
  return lengths(t("tap.howLong"), chosen, (forSeconds) => put(changed(block, { forSeconds })), [
    { text: t("tap.atOnce"), isChosen: chosen === null, choose: () => put(changed(block, { forSeconds: undefined })) },
  ]);
}

/** For how long a command lasts. */
function lastingSheet(hold: number | null, onHold: PhraseProps["onHold"]): Sheet {
  return lengths(t("tap.howLong"), hold, onHold, [
    { text: t("tap.forGood"), isChosen: hold === null, choose: () => onHold(null) },
  ]);
}

function pictureSheet(block: Block, byCar: boolean, put: Put): Sheet | null {
  const offered = pictureOptions(byCar || JSON.stringify(block.picture) === '{"type":"read"}');
  if (offered.length === 0) return null;
  return {
    title: t("tap.withPicture"),
    options: [
      {
        text: t("tap.noPicture"),
        isChosen: block.picture === undefined,
        choose: () => put(changed(block, { picture: undefined })),
      },
      ...offered.map((one) => ({
        text: one.text,
        group: one.group,
        isChosen: JSON.stringify(one.picture) === JSON.stringify(block.picture),
        choose: () => put(changed(block, { picture: one.picture })),
      })),
    ],
  };
}

/** What can be added to a phrase: how long, for how long, with which picture. `isOne`: it needs no name there. */
function Extras({
  block,
  open,
  isTrigger,
  byCar,
  isLast,
  isOne,
  hold,
  onHold,
  put,
}: PhraseProps & { isLast: boolean; isOne: boolean }) {
  const name = devices.value.get(String(block.deviceId ?? ""))?.name ?? anyDeviceText(block.deviceType);
  const extra = (text: string, sheet: Sheet): ComponentChildren => (
    <Add text={isOne ? text : t("tap.extraOf", { extra: text, of: name })} onClick={() => open(sheet)} />
  );
  switch (block.type) {
    case "state":
    case "any_state":
      return isTrigger && block.forSeconds === undefined ? extra(t("tap.holdAdd"), holdSheet(block, put)) : null;
    case "command":
      if (!isLast || hold !== null || oppositeOf(block.command) === null) return null;
      return <Add text={t("tap.forAdd")} onClick={() => open(lastingSheet(hold, onHold))} />;
    case "notify": {
      const sheet = block.picture === undefined ? pictureSheet(block, byCar, put) : null;
      return sheet === null ? null : <Add text={t("tap.pictureAdd")} onClick={() => open(sheet)} />;
    }
    default:
      return null;
  }
}

/** One trigger, condition or action with its words to tap. */
function Phrase({
  block,
  open,
  isTrigger,
  isFirst,
  byCar,
  filled,
  isMissing,
  hold,
  onHold,
  put,
}: PhraseProps & { isFirst: boolean }) {
  const remove = (): void => put(null);
  const set = (members: Readonly<Record<string, unknown>>): void => put(changed(block, members));
  const word = (text: string, sheet: () => Omit<Sheet, "remove">, isWrong = false): ComponentChildren => (
    <button
      type="button"
      class={isWrong ? "tap empty" : "tap"}
      aria-haspopup="dialog"
      {...(isWrong ? { "aria-invalid": true } : {})}
      onClick={() => open({ ...sheet(), remove })}
    >
      {text}
    </button>
  );
  const time = (key: "at" | "from" | "to"): ComponentChildren =>
    word(
      clockText(String(block[key])),
      () => ({
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
      }),
      isMissing && key === "at",
    );
  const days = (text = daysWord(block.days)): ComponentChildren => {
    const chosen = Array.isArray(block.days) ? block.days.map(Number) : [];
    return word(text, () => ({
      title: t("block.days"),
      options: WEEK.map(([named, one]) => ({
        text: t(named),
        isChosen: JSON.stringify(one) === JSON.stringify(chosen),
        choose: () => set({ days: [...one] }),
      })),
      fields: (done) => (
        <>
          <DaysField label={t("block.days")} days={chosen} onChange={(next) => set({ days: next })} />
          <div>
            <Button text={t("tap.done")} onClick={done} />
          </div>
        </>
      ),
    }));
  };
  const device = devices.value.get(String(block.deviceId ?? ""));
  const deviceWord = (wanted: (one: NonNullable<typeof device>) => Block | null): ComponentChildren =>
    word(
      device?.name ?? t("tap.aDevice"),
      () => ({
        title: t("block.device"),
        options: byRoom().flatMap((one) => {
          const next = wanted(one);
          if (next === null) return [];
          const isChosen = one.id === block.deviceId;
          return [{ ...aboutOf(one), text: one.name, isChosen, usual: usualDevice(one.id), choose: () => put(next) }];
        }),
      }),
      isMissing && device === undefined,
    );
  /** One word for all of it, with what else of the same kind there is behind it. */
  const oneOf = (title: string, options: () => readonly Option[]): ComponentChildren =>
    word(sentence(block), () => ({
      title,
      options: options().map((one) => ({
        text: one.text,
        isChosen: JSON.stringify(one.block) === JSON.stringify(block),
        choose: () => put(one.block),
      })),
    }));
  switch (block.type) {
    case "time":
      return block.at === undefined
        ? fill("say.window", {
            from: time("from"),
            to: time("to"),
            days: Array.isArray(block.days) && block.days.length > 0 ? days() : "",
          })
        : fill("say.time", { at: time("at"), days: days() }, isFirst);
    case "days":
      return word(sentence(block), () => ({
        title: t("block.days"),
        options: WEEK.filter(([, one]) => one.length > 0).map(([, one]) => ({
          text: sentence({ ...block, days: [...one] } as Block),
          choose: () => set({ days: [...one] }),
        })),
        fields: (done) => (
          <>
            <DaysField
              label={t("block.days")}
              days={Array.isArray(block.days) ? block.days.map(Number) : []}
              onChange={(next) => set({ days: next })}
            />
            <div>
              <Button text={t("tap.done")} onClick={done} />
            </div>
          </>
        ),
      }));
    case "sun":
      if (block.is !== undefined)
        return word(sentence(block), () => ({
          title: t("block.sunIs"),
          options: (["down", "up"] as const).map((is) => ({
            text: t(is === "up" ? "say.sunUp" : "say.sunDown"),
            isChosen: block.is === is,
            choose: () => set({ is }),
          })),
        }));
      return <Sun block={block} word={word} days={days} set={set} isFirst={isFirst} />;
    case "interval":
      return fill(
        "say.interval",
        {
          every: word(duration(Number(block.everySeconds)), () =>
            lengths(t("trigger.interval"), Number(block.everySeconds), (everySeconds) => set({ everySeconds })),
          ),
        },
        isFirst,
      );
    case "plate":
    case "occupancy":
      return oneOf(t("tap.atGate"), () =>
        (isTrigger ? triggerOptions() : conditionOptions()).filter(({ group }) => group === t("tap.atGate")),
      );
    case "house":
    case "presence":
      return oneOf(
        t("tap.house"),
        isTrigger ? houseTriggers : block.mode === undefined ? houseConditions : houseActions,
      );
    case "state":
    case "any_state": {
      const key = String(block.field);
      const isAny = block.type === "any_state";
      const kind = isAny ? (typeof block.value === "number" ? "number" : "boolean") : kindOf(device, key);
      const compared = comparedWith(device, key);
      const whole = saidWhole(key, { op: String(block.op), value: block.value });
      const fields = (): readonly SheetOption[] =>
        isAny
          ? triggerOptions()
              .filter((one) => one.block.type === "any_state")
              .map((one) => ({
                text: measureName(String(one.block.field)),
                isChosen: one.block.field === key,
                choose: () => put(one.block),
              }))
          : fieldsOf(device).map((field) => ({
              text: field.name,
              isChosen: field.key === key,
              choose: () => set({ value: undefined, field: field.key, ...firstQuestion(device, field.key) }),
            }));
      const offline: readonly SheetOption[] =
        isTrigger && !isAny && device !== undefined
          ? (["offline", "online"] as const).map((event) => ({
              text: t(`say.${event}`),
              group: t("tap.somethingElse"),
              choose: () => put({ type: "device", deviceId: device.id, event }),
            }))
          : [];
      const ops = operatorsFor(kind, String(block.op)).filter(
        (op) => (!["in", "contains"].includes(op) && (op !== "changed" || (isTrigger && !isAny))) || op === block.op,
      );
      const wholes = isAny ? [{ op: "truthy" }, { op: "falsy" }] : wholeQuestions(device, key);
      /** The choices behind what the device does, where that is one word. */
      const wholeSheet = (): Sheet => ({
        title: device?.name ?? measureName(key),
        options: [
          ...wholes.map((one) => ({
            text: saidWhole(key, one) ?? operatorText(one.op, key),
            isChosen: saidWhole(key, one) === whole,
            choose: () => set({ value: undefined, ...one }),
          })),
          ...fields()
            .filter(({ isChosen }) => isChosen !== true)
            .map((one) => ({ ...one, group: t("tap.somethingElse") })),
          ...offline,
        ],
      });
      const value = (): ComponentChildren =>
        block.value === undefined
          ? ""
          : word(valueWord(key, block.value), () => ({
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
                        label={[`${measureName(key)} ${unitOf(key)}`.trim(), ...nowWord(device, key)].join(" · ")}
                        value={String(block.value)}
                        onDone={(next) => {
                          set({ value: next });
                          done();
                        }}
                      />
                    ),
                  }
                : {}),
            }));
      const named = isAny
        ? word(anyDeviceText(block.deviceType, whole ?? ""), () => ({
            title: t("tap.whichDevices"),
            options: [undefined, ...kindsWith(key)].map((deviceType) => ({
              text: anyDeviceText(deviceType),
              isChosen: block.deviceType === deviceType,
              choose: () => set({ deviceType }),
            })),
          }))
        : deviceWord((one) => {
            if (fieldsOf(one).some((field) => field.key === key)) return { ...block, deviceId: one.id };
            const first = questionOf(one);
            return first === null ? null : { ...first, type: block.type };
          });
      return fill(whole === null ? "say.state" : "say.switched", {
        device: named,
        field:
          whole === null
            ? word(fieldWord(key), () => ({ title: t("block.field"), options: [...fields(), ...offline] }))
            : "",
        op:
          whole === null
            ? word(operatorText(String(block.op), key), () => ({
                title: t("block.op"),
                options: ops.map((op) => ({
                  text: operatorText(op, key),
                  isChosen: op === block.op,
                  choose: () => set({ op, value: valueFor(device, key, op, block.value) }),
                })),
              }))
            : word(whole, wholeSheet),
        value: value(),
        hold:
          isTrigger && block.forSeconds !== undefined
            ? word(t("say.hold", { time: duration(Number(block.forSeconds)) }), () => holdSheet(block, put))
            : "",
      });
    }
    case "device":
      return fill("say.device", {
        device: deviceWord((one) => ({ ...block, deviceId: one.id })),
        event: word(t(block.event === "online" ? "say.online" : "say.offline"), () => ({
          title: device?.name ?? t("block.event"),
          options: (["online", "offline"] as const).map((event) => ({
            text: t(`say.${event}`),
            isChosen: block.event === event,
            choose: () => set({ event }),
          })),
        })),
      });
    case "command": {
      const { frame, what } = commandWords(block.command, device);
      return (
        <>
          {fill(frame, {
            device: deviceWord((one) => {
              const command = commandFor(one, block.command);
              return command === null ? null : { ...block, deviceId: one.id, command };
            }),
            what: word(what, () => ({
              title: device?.name ?? t("block.command"),
              options: choicesFor(device).map(({ text, command }) => ({
                text,
                isChosen: JSON.stringify(command) === JSON.stringify(block.command),
                choose: () => set({ command }),
              })),
              fields: (done) =>
                rangesOf(device).map(({ control, send }) => (
                  <RangeSetter
                    key={control.key}
                    control={control}
                    start={numberIn(block.command, control) ?? startOf(control, device)}
                    onDone={(n) => {
                      set({ command: send(n) });
                      done();
                    }}
                  />
                )),
            })),
          })}
          {hold !== null && <> {word(t("tap.for", { time: duration(hold) }), () => lastingSheet(hold, onHold))}</>}
        </>
      );
    }
    case "scene": {
      const chosen = scenes.value.find(({ id }) => id === block.sceneId);
      return fill("say.scene", {
        scene: word(
          chosen?.name ?? t("tap.aScene"),
          () => ({
            title: t("nav.scenes"),
            options: scenes.value.map(({ id, name }) => ({
              text: name,
              isChosen: id === block.sceneId,
              choose: () => set({ sceneId: id }),
            })),
          }),
          isMissing && chosen === undefined,
        ),
      });
    }
    case "delay":
      return fill("say.delay", {
        time: word(duration(Number(block.seconds)), () =>
          lengths(t("do.delay"), Number(block.seconds), (seconds) => set({ seconds })),
        ),
      });
    case "notify": {
      const title = String(block.title ?? "");
      const picture = block.picture === undefined ? null : pictureSheet(block, byCar, put);
      return fill("tap.notify", {
        whom: word(whomText(block.to), () => ({
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
        })),
        picture: picture === null ? pictureText(block.picture) : word(pictureText(block.picture), () => picture),
        title: word(
          title.trim() === "" ? t("tap.whatHappened") : `“${titleText(title)}”`,
          () => ({
            title: t("do.notify"),
            fields: (done) => (
              <MessageForm
                start={{ title, body: String(block.body ?? "") }}
                filled={filled}
                onDone={(next, body) => {
                  set({ title: next, body });
                  done();
                }}
              />
            ),
          }),
          isMissing,
        ),
      });
    }
    default:
      return word(sentence(block), () => ({ title: t("tap.inDetail") }));
  }
}

/** "At sunset every day", "30 min before sunset": event and moment are one choice. */
function Sun({
  block,
  word,
  days,
  set,
  isFirst,
}: {
  block: Block;
  word: (text: string, sheet: () => Omit<Sheet, "remove">) => ComponentChildren;
  days: () => ComponentChildren;
  set: (members: Readonly<Record<string, unknown>>) => void;
  isFirst: boolean;
}) {
  const offset = Number(block.offsetMinutes ?? 0);
  const event = t(block.event === "sunrise" ? "sun.sunrise" : "sun.sunset");
  const offsetText = (minutes: number): string => (minutes === 0 ? t("offset.at") : offsetWord(minutes));
  const sheet = (): Sheet => ({
    title: t("trigger.sun"),
    options: [
      ...(["sunrise", "sunset"] as const).map((one) => ({
        text: capital(t(`sun.${one}`)),
        isChosen: block.event === one,
        choose: () => set({ event: one }),
      })),
      ...OFFSETS.map((offsetMinutes) => ({
        text: offsetText(offsetMinutes),
        group: t("block.offset"),
        isChosen: offset === offsetMinutes,
        choose: () => set({ offsetMinutes }),
      })),
    ],
  });
  if (offset === 0) return fill("say.sunAt", { event: word(event, sheet), days: days() }, isFirst);
  const text = tidyText(t("say.sun", { offset: offsetWord(offset), event, days: "" }));
  return (
    <>
      {word(isFirst ? capital(text) : text, sheet)} {days()}
    </>
  );
}

/** What a device reports of a value now; nothing if it has not yet. */
function nowWord(device: Device | undefined, key: string): readonly string[] {
  const now = valuesOf(device).find((one) => one.key === key)?.now;
  return now === undefined ? [] : [t("picker.valueNow", { value: valueWord(key, now) })];
}

function tidyText(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/**
 * A text of the catalogue with elements in place of its values, in the order of its language. What is empty leaves no
 * gap, and a comma stays with the word before it. `isFirst`: it begins the sentence.
 */
function fill(key: TextKey, parts: Readonly<Record<string, ComponentChildren>>, isFirst = false): ComponentChildren {
  const empty = Object.fromEntries(Object.keys(parts).map((name) => [name, parts[name] === "" ? "" : `⟦${name}⟧`]));
  const marked = tidyText(t(key, empty));
  return marked.split(/(⟦\w+⟧)/).map((piece, index) => {
    const name = /^⟦(\w+)⟧$/.exec(piece)?.[1];
    if (name !== undefined) return <span key={index}>{parts[name]}</span>;
    return isFirst && index === 0 ? <strong key={index}>{capital(piece)}</strong> : piece;
  });
}

/** The command that another device gets instead: the same if it takes it, else its first. */
function commandFor(one: NonNullable<ReturnType<typeof devices.value.get>>, command: unknown): Command | null {
  const same = choicesFor(one).find((choice) => JSON.stringify(choice.command) === JSON.stringify(command));
  if (same !== undefined) return same.command;
  for (const { control, send } of rangesOf(one)) {
    const n = numberIn(command, control);
    if (n !== null && n >= control.min && n <= control.max) return send(n);
  }
  return firstCommand(one);
}

/** What the hub can fill into the messages of a rule that these set off. */
function filledBy(triggers: readonly Block[]): readonly Filled[] {
  const types = new Set(triggers.map(({ type }) => type));
  const has = (...wanted: readonly string[]): boolean => wanted.some((type) => types.has(type));
  return [
    ...(has("state", "any_state", "device", "event", "plate") ? (["device"] as const) : []),
    ...(has("plate") ? (["plate"] as const) : []),
    ...(has("state", "any_state") ? (["value"] as const) : []),
  ];
}
