import { useId } from "preact/hooks";
import { type TextKey, t } from "../i18n/translate.js";
import { deviceList, devices, scenes } from "../store.js";
import { CommandField } from "./command-field.js";
import { DaysField } from "./days-field.js";
import { SelectField, TextField } from "./field.js";
import { OffsetField } from "./offset-field.js";
import { ParsedField, readNumber, readValue, showValue } from "./parsed-field.js";

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
  | "number"
  | "offset"
  | "text"
  | "longText"
  | "scene"
  | "command"
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

const OPERATORS: readonly (readonly [string, TextKey])[] = [
  ["truthy", "op.truthy"],
  ["falsy", "op.falsy"],
  ["eq", "op.eq"],
  ["ne", "op.ne"],
  ["gt", "op.gt"],
  ["gte", "op.gte"],
  ["lt", "op.lt"],
  ["lte", "op.lte"],
  ["in", "op.in"],
  ["contains", "op.contains"],
  ["changed", "op.changed"],
];
const NO_VALUE = new Set(["truthy", "falsy", "changed"]);
const COUNT_OPERATORS = OPERATORS.filter(([name]) => ["eq", "ne", "gt", "gte", "lt", "lte", "changed"].includes(name));

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
  const set = (key: string, value: unknown): void => {
    const next: Record<string, unknown> = { ...block, [key]: value };
    if (value === undefined) delete next[key];
    onChange(next as Block); // type is always kept
  };
  return (
    <div class="block-fields">
      {type.members.map((member) => (
        <MemberField key={member.key} member={member} block={block} set={set} noChanged={noChanged} />
      ))}
    </div>
  );
}

function MemberField({ member, block, set, noChanged }: { member: Member; block: Block; set: (key: string, value: unknown) => void; noChanged: boolean }) {
  const value = block[member.key];
  const label = t(member.label);
  const text = value === undefined || value === null ? "" : String(value);
  const none = member.optional === true ? ([["", t("block.any")]] as const) : [];
  switch (member.kind) {
    case "device":
    case "camera": {
      const fitting = deviceList.value.filter((device) => member.kind === "device" || device.type === "camera");
      const options = fitting.map((device) => [device.id, device.name] as const);
      return (
        <SelectField
          label={label}
          value={text}
          options={[...(member.optional ? none : [["", t("block.choose")] as const]), ...options]}
          onChange={(id) => set(member.key, id === "" && member.optional ? undefined : id)}
        />
      );
    }
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
      const operators = (member.kind === "op" ? OPERATORS : COUNT_OPERATORS).filter(([name]) => !(noChanged && name === "changed"));
      return (
        <SelectField label={label} value={text} options={operators.map(([key, key2]) => [key, t(key2)] as const)} onChange={(key) => set(member.key, key)} />
      );
    }
    case "value":
      return NO_VALUE.has(String(block.op)) ? null : (
        <ParsedField
          label={label}
          value={value}
          show={showValue}
          read={readValue}
          wrong=""
          onChange={(next) => set(member.key, next)}
          hint={t("block.valueHint")}
        />
      );
    case "field":
      return <StateField label={label} deviceId={String(block.deviceId ?? "")} value={text} onChange={(key) => set(member.key, key)} />;
    case "time":
      return <TextField label={label} type="time" value={text} onInput={(at) => set(member.key, at)} />;
    case "offset":
      return <OffsetField label={label} minutes={typeof value === "number" ? value : 0} onChange={(minutes) => set(member.key, minutes)} />;
    case "number":
      return (
        <ParsedField
          label={label}
          inputMode="decimal"
          value={value}
          show={showValue}
          read={(typed) => (typed.trim() === "" && member.optional === true ? { value: undefined } : readNumber(typed))}
          wrong={t("block.noNumber")}
          onChange={(next) => set(member.key, next)}
        />
      );
    case "days":
      return <DaysField label={label} days={Array.isArray(value) ? value.map(Number) : []} onChange={(days) => set(member.key, days)} />;
    case "command":
      return <CommandField label={label} deviceId={String(block.deviceId ?? "")} value={value} onChange={(command) => set(member.key, command)} />;
    default:
      return <TextField label={label} value={text} onInput={(typed) => set(member.key, typed === "" && member.optional ? undefined : typed)} />;
  }
}

/** Name of a member of a device's state, with those it has now to choose from. */
export function StateField({ label, deviceId, value, onChange }: { label: string; deviceId: string; value: string; onChange: (key: string) => void }) {
  const id = useId();
  const keys = Object.keys(devices.value.get(deviceId)?.state ?? {});
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} class="input" list={`${id}-keys`} value={value} autocomplete="off" onInput={(event) => onChange(event.currentTarget.value)} />
      <datalist id={`${id}-keys`}>
        {keys.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
    </div>
  );
}
