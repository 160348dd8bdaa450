import { Icon } from "./icon.tsx";

/** The link above a page's head to the page it belongs to. */
export function BackLink({ to, text }: { to: string; text: string }) {
  return (
    <a class="back-link" href={to}>
      <Icon name="arrowLeft" small />
      {text}
    </a>
  );
}
