import { CommandField } from "../../../console/components/command-field.tsx";
import { DaysField } from "../../../console/components/days-field.tsx";
import { DeviceField } from "../../../console/components/device-field.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { kindOf, operatorsFor, operatorText, valuesOf } from "../../../console/components/state-values.ts";
import { ComparedField, ValueField } from "../../../console/components/value-field.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { deviceList, devices, scenes } from "../../../console/store.ts";
import { DurationField } from "./duration-field.tsx";
import { OffsetField } from "./offset-field.tsx";
import { persons } from "./persons.ts";
import { anyDeviceText, personName, whomText } from "./rule-sentence.ts";
import { firstQuestion } from "./state-questions.ts";
import { MessageFields } from "./tap-fields.tsx";
import { kindsWith, pictureOptions, whomOptions } from "./tap-options.ts";

/** One part of a rule while it is edited: its `type` and the members of that type. */
export type Block = { readonly type: string; readonly [member: string]: unknown };

type Kind =
  | "device"
  | "camera"
  | "field"
  | "op"
  | "countOp"
  | "value"
  | "time"
  | "days"
  | "duration"
  | "offset"
  | "text"
  | "message"
  | "scene"
  | "command"
  | "whom"
  | "person"
  | "deviceType"
  | "picture"
  | "choice";

/** One member of a block and how it is asked for. */
export interface Member {
  readonly key: string;
  readonly kind: Kind;
  readonly label: TextKey;
  readonly optional?: boolean;
  readonly choices?: readonly (readonly [string, TextKey])[];
}

/** A type of block: its name, its members and what a new one starts with. */
export interface BlockType {
  readonly type: string;
  readonly label: TextKey;
  readonly members: readonly Member[];
  readonly fresh: Readonly<Record<string, unknown>>;
}

const COUNT_OPERATORS = ["eq", "ne", "gt", "gte", "lt", "lte", "changed"];

/** Fields of one block, made from its type's table. `errors` are keyed by member below `path`. */
export function BlockEditor({
  block,
  types,
  onChange,
  noChanged = false,
}: {
  block: Block;
  types: readonly BlockType[];
  onChange: (block: Block) => void;
  noChanged?: boolean;
}) {
  const type = types.find((candidate) => candidate.type === block.type) ?? types[0];
  if (type === undefined) return null;
  const put = (members: Readonly<Record<string, unknown>>): void => {
    const known = Object.entries({ ...block, ...members }).filter(([, value]) => value !== undefined);
    onChange({ ...Object.fromEntries(known), type: block.type });
  };
  return (
    <div class="block-fields">
      {type.members.map((member) => (
        <MemberField key={member.key} member={member} block={block} put={put} noChanged={noChanged} />
      ))}
    </div>
  );
}

/** Sets members of a block; undefined removes one. */
type Put = (members: Readonly<Record<string, unknown>>) => void;

function MemberField({
  member,
  block,
  put,
  noChanged,
}: {
  member: Member;
  block: Block;
  put: Put;
  noChanged: boolean;
}) {
  const set = (key: string, value: unknown): void => put({ [key]: value });
  const value = block[member.key];
  const label = t(member.label);
  const text = value === undefined || value === null ? "" : String(value);
  const none = member.optional === true ? ([["", t("block.any")]] as const) : [];
  const key = String(block.field ?? "");
  const device =
    block.type === "any_state"
      ? deviceList.value.find(
          (one) =>
            valuesOf(one).some((value) => value.key === key) &&
            (block.deviceType === undefined || block.deviceType === one.type),
        )
      : devices.value.get(String(block.deviceId ?? ""));
  switch (member.kind) {
    case "device":
      return <DeviceField label={label} value={text} onChange={(id) => put({ deviceId: id, ...valueOn(id, block) })} />;
    case "camera":
      return (
        <DeviceField
          label={label}
          value={text}
          only={({ type }) => type === "camera"}
          {...(member.optional ? { any: t("block.any") } : {})}
          onChange={(id) => set(member.key, id === "" ? undefined : id)}
        />
      );
    case "scene":
      return (
        <SelectField
          label={label}
          value={text}
          options={[["", t("block.choose")], ...scenes.value.map((scene) => [String(scene.id), scene.name] as const)]}
          onChange={(id) => set(member.key, Number(id))}
        />
      );
    case "choice":
      return (
        <SelectField
          label={label}
          value={text}
          options={[...none, ...(member.choices ?? []).map(([key, key2]) => [key, t(key2)] as const)]}
          onChange={(key) => set(member.key, key === "" ? undefined : key)}
        />
      );
    case "op":
    case "countOp": {
      const operators = member.kind === "op" ? operatorsFor(kindOf(device, key), text) : COUNT_OPERATORS;
      return (
        <SelectField
          label={label}
          value={text}
          options={operators
            .filter((op) => !((noChanged || block.type === "any_state") && op === "changed"))
            .map((op) => [op, operatorText(op, key)] as const)}
          onChange={(op) => set(member.key, op)}
        />
      );
    }
    case "value":
      return <ComparedField label={label} device={device} block={block} onChange={(next) => set(member.key, next)} />;
    case "field":
      return (
        <ValueField
          label={label}
          device={device}
          value={text}
          onChange={(chosen) => put({ field: chosen, value: undefined, ...firstQuestion(device, chosen) })}
        />
      );
    case "time":
      return <TextField label={label} type="time" value={text} onInput={(at) => set(member.key, at)} />;
    case "offset":
      return (
        <OffsetField
          label={label}
          minutes={typeof value === "number" ? value : 0}
          onChange={(minutes) => set(member.key, minutes)}
        />
      );
    case "duration":
      return (
        <DurationField
          label={label}
          seconds={typeof value === "number" ? value : undefined}
          isOptional={member.optional === true}
          onChange={(next) => set(member.key, next)}
        />
      );
    case "message":
      return (
        <MessageFields
          title={String(block.title ?? "")}
          body={String(block.body ?? "")}
          filled={["device", "plate", "value"]}
          onChange={put}
        />
      );
    case "days":
      return (
        <DaysField
          label={label}
          days={Array.isArray(value) ? value.map(Number) : []}
          onChange={(days) => set(member.key, days)}
        />
      );
    case "deviceType":
      return (
        <SelectField
          label={label}
          value={text}
          options={["", ...new Set([...kindsWith(key), ...(text === "" ? [] : [text])])].map(
            (type) => [type, anyDeviceText(type === "" ? undefined : type)] as const,
          )}
          onChange={(type) => set(member.key, type === "" ? undefined : type)}
        />
      );
    case "whom": {
      const offered = whomOptions(value).filter(({ group }) => group === "");
      const own = Array.isArray(value) && !offered.some(({ to }) => JSON.stringify(to) === JSON.stringify(value));
      return (
        <SelectField
          label={label}
          value={value === undefined ? "" : JSON.stringify(value)}
          options={[
            ["", t("tap.toEverybody")],
            ...(own ? [[JSON.stringify(value), whomText(value)] as const] : []),
            ...offered.map(({ text, to }) => [JSON.stringify(to), text] as const),
          ]}
          onChange={(to) => set(member.key, to === "" ? undefined : JSON.parse(to))}
        />
      );
    }
    case "person":
      return (
        <SelectField
          label={label}
          value={text}
          options={[
            ["", t("block.anyPerson")],
            ...(text === "" || persons.value.some(({ id }) => id === value)
              ? []
              : [[text, personName(value)] as const]),
            ...persons.value.map(({ id, name }) => [String(id), name] as const),
          ]}
          onChange={(id) => set(member.key, id === "" ? undefined : Number(id))}
        />
      );
    case "picture":
      return (
        <SelectField
          label={label}
          value={value === undefined ? "" : JSON.stringify(value)}
          options={[
            ["", t("tap.noPicture")],
            ...pictureOptions(true).map(({ text, picture }) => [JSON.stringify(picture), text] as const),
          ]}
          onChange={(picture) => set(member.key, picture === "" ? undefined : JSON.parse(picture))}
        />
      );
    case "command":
      return (
        <CommandField
          label={label}
          deviceId={String(block.deviceId ?? "")}
          value={value}
          onChange={(command) => set(member.key, command)}
        />
      );
    default:
      return (
        <TextField
          label={label}
          value={text}
          onInput={(typed) => set(member.key, typed === "" && member.optional ? undefined : typed)}
        />
      );
  }
}

/** A newly chosen device may have other values than the one before: then the first of its own is used. */
function valueOn(id: string, block: Block): Readonly<Record<string, unknown>> {
  if (typeof block.field !== "string") return {};
  const device = devices.value.get(id);
  const [first] = valuesOf(device);
  if (first === undefined || valuesOf(device).some(({ key }) => key === block.field)) return {};
  return { field: first.key, value: undefined, ...firstQuestion(device, first.key) };
}
