import type { ButtonHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon.tsx";

type Attributes = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "class" | "icon">;

/** A button that acts at once; it does not submit a form. `look`: how much it stands out. */
export function Button({
  look,
  icon,
  text,
  ...attributes
}: Attributes & { look?: "primary" | "plain" | "danger" | undefined; icon?: IconName; text: string }) {
  return (
    <button type="button" class={look === undefined ? "button" : `button ${look}`} {...attributes}>
      {icon !== undefined && <Icon name={icon} small />}
      {text}
    </button>
  );
}

/**
 * A button that shows only an icon; `label` names its action. `framed`: it has a border, as a button with words.
 * `small`: the icon is.
 */
export function IconButton({
  icon,
  label,
  framed = false,
  small = false,
  ...attributes
}: Attributes & { icon: IconName; label: string; framed?: boolean; small?: boolean }) {
  return (
    <button
      type="button"
      class={framed ? "button icon-only" : "button plain icon-only"}
      aria-label={label}
      {...attributes}
    >
      <Icon name={icon} small={small} />
    </button>
  );
}

/** A small button among others of its kind. `pressed`: whether its choice is selected. */
export function Chip({
  icon,
  text,
  pressed,
  ...attributes
}: Attributes & { icon?: IconName; text: string; pressed?: boolean }) {
  return (
    <button type="button" class="chip" aria-pressed={pressed} {...attributes}>
      {icon !== undefined && <Icon name={icon} small />}
      {text}
    </button>
  );
}
