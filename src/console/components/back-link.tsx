import { t } from "../i18n/translate.ts";
import { usePage, useParent } from "../pages/page.ts";
import { Icon } from "./icon.tsx";

/** Where a page leads back to, and the name of that page. */
export interface Back {
  readonly to: string;
  readonly text: string;
}

/**
 * The way back above a page's title: to `back`, or to the page that its address belongs to. Where the list of a section
 * stands beside the page, that is the way back.
 */
export function BackLink({ back }: { back?: Back }) {
  const parent = useParent();
  const isListed = usePage()?.tab?.group !== undefined;
  const { to, text } = back ?? (parent === null ? { to: "", text: "" } : { to: parent.path, text: t(parent.title) });
  if (to === "") return null;
  return (
    <a class={isListed ? "back-link to-list" : "back-link"} href={to}>
      <Icon name="chevronLeft" small />
      {text}
    </a>
  );
}
