import { Icon } from "./icon.js";

/** The way back to where a page hangs, above its head. */
export function BackLink({ to, text }: { to: string; text: string }) {
  return (
    <a class="back-link" href={to}>
      <Icon name="arrowLeft" small />
      {text}
    </a>
  );
}
