import { ago, t } from "../i18n/translate.ts";
import { Card } from "./basics.tsx";
import { Button } from "./button.tsx";
import { say, sayError } from "./toast.tsx";
import { type Deleted, deleted, forgetDeleted, keepDeleted } from "./trash.ts";

/** What was deleted in this window, with buttons to restore it. `restore` creates it again and loads the list. */
export function DeletedCard({ kind, restore }: { kind: Deleted["kind"]; restore: (one: Deleted) => Promise<void> }) {
  const here = deleted.value.filter((one) => one.kind === kind);
  if (here.length === 0) return null;
  return (
    <Card title={t("deleted.title")}>
      <p class="soft small">{t("deleted.text")}</p>
      <ul class="list">
        {here.map((one) => (
          <li key={`${one.at} ${one.name}`}>
            <p class="grow">
              {one.name} <span class="soft small">{ago(new Date(one.at).toISOString())}</span>
            </p>
            <Button
              text={t("deleted.restore")}
              aria-label={t("deleted.restoreNamed", { name: one.name })}
              onClick={() => bringBack(one, restore)}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/**
 * Says that something was deleted, with an undo button for as long as the toast is shown; after that, the card has it.
 */
export function sayDeleted(
  what: Pick<Deleted, "kind" | "name" | "body">,
  restore: (one: Deleted) => Promise<void>,
): void {
  const one = keepDeleted(what.kind, what.name, what.body);
  say(t("rule.removed", { name: one.name }), { label: t("action.undo"), run: () => bringBack(one, restore) });
}

function bringBack(one: Deleted, restore: (one: Deleted) => Promise<void>): void {
  // already restored: the toast and the card offer the same
  if (!deleted.value.some(({ at, name, kind }) => at === one.at && name === one.name && kind === one.kind)) return;
  forgetDeleted(one);
  restore(one).catch((error: unknown) => {
    keepDeleted(one.kind, one.name, one.body);
    sayError(error);
  });
}
