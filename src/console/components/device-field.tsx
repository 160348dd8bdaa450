import { t } from "../i18n/translate.ts";
import { type Device, deviceList, devices } from "../store.ts";
import { stateLine } from "./device-tile.tsx";
import { findDevices } from "./find-devices.ts";
import { deviceIcon } from "./icon.tsx";
import { Picker, type PickerOption } from "./picker.tsx";

/**
 * Choice of a device by name, room or kind, each with its current state. `any`: the label for all of them, if that can
 * be chosen.
 */
export function DeviceField({
  label,
  value,
  only = () => true,
  any,
  error,
  onChange,
}: {
  label: string;
  value: string;
  only?: (device: Device) => boolean;
  any?: string | undefined;
  error?: string | undefined;
  onChange: (id: string) => void;
}) {
  const device = devices.value.get(value);
  const find = (text: string): readonly PickerOption[] => [
    ...(any === undefined || text !== "" ? [] : [{ id: "", name: any, detail: "" }]),
    ...findDevices(deviceList.value.filter(only), text).map((one) => ({
      id: one.id,
      name: one.name,
      detail: about(one),
      icon: deviceIcon(one.type),
    })),
  ];
  const isGone = value !== "" && device === undefined;
  return (
    <Picker
      label={label}
      chosen={{ id: value, name: device?.name ?? (value === "" ? (any ?? "") : value) }}
      find={find}
      onChange={onChange}
      {...(device === undefined ? {} : { hint: about(device) })}
      error={isGone ? t("picker.gone") : error}
    />
  );
}

/** Where a device is and its current state. */
function about(device: Device): string {
  return [device.room ?? "", stateLine(device)].filter((part) => part !== "").join(" · ");
}
