import { t } from "../i18n/translate.ts";
import { rooms } from "../store.ts";
import { TextField } from "./field.tsx";
import { Picker } from "./picker.tsx";

interface Typed {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** The hub's errors for the form's fields. */
  readonly errors: Readonly<Record<string, string>>;
}

/** A required name. */
export function NameField({
  label = t("field.name"),
  hint,
  maxLength = 120,
  errors,
  ...typed
}: Typed & { label?: string; hint?: string; maxLength?: number }) {
  return (
    <TextField
      {...typed}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      error={errors.name}
      maxLength={maxLength}
      required
    />
  );
}

/** The room of a device: one of the house's, none, or a new one by its name. */
export function RoomField({ errors, value, onInput }: Typed) {
  const names = rooms.value.map(({ name }) => name);
  const find = (text: string) => {
    const wanted = text.trim().toLowerCase();
    return [
      ...(wanted === "" ? [{ id: "", name: t("device.noRoom"), detail: "" }] : []),
      ...names.filter((name) => name.toLowerCase().includes(wanted)).map((name) => ({ id: name, name, detail: "" })),
    ];
  };
  return (
    <Picker
      label={t("device.room")}
      chosen={{ id: value, name: value === "" ? t("device.noRoom") : value }}
      placeholder={t("device.roomFind")}
      find={find}
      isFree
      onChange={onInput}
      error={errors.room}
    />
  );
}
