import { useEffect, useState } from "preact/hooks";
import { get, post, remove } from "../../../console/api.ts";
import { shownNow } from "../../../console/clock.ts";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm, Dialog } from "../../../console/components/dialog.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { ActionMenu, PageActions } from "../../../console/components/page-actions.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { toldApart } from "../../../console/components/told-apart.ts";
import { dateTime, madeText, t } from "../../../console/i18n/translate.ts";
import { askAfter } from "../../../console/live.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { devices } from "../../../console/store.ts";
import { PassDialog } from "./pass-dialog.tsx";
import { PassLink } from "./pass-link.tsx";
import { boundsText } from "./rule-times.ts";
import "./gate-day.css";

type Pass = AnswerTo<"GET", "/api/passes">["passes"][number];
type Open =
  | { readonly kind: "new" }
  | { readonly kind: "revoke"; readonly pass: Pass }
  | { readonly kind: "link"; readonly pass: Pass; readonly token: string };

/** Passes for guests: who, which plate, until when; creating one, renewing its link, revoking it. */
export function GuestsPage() {
  const [passes, load] = useLoaded(async () => (await get("/api/passes")).passes);
  const [open, setOpen] = useState<Open | null>(null);
  useEffect(() => askAfter(["read.decided", "plate_rules.changed"], async () => load()), []);
  const now = shownNow();
  const nameOf = toldApart(
    passes ?? [],
    ({ label }) => label,
    ({ createdAt }) => madeText(createdAt),
  );
  const close = (): void => {
    setOpen(null);
    load();
  };
  const renew = async (pass: Pass): Promise<void> => {
    try {
      const { token } = await post("/api/passes/{id}/link", { params: { id: pass.id } });
      setOpen({ kind: "link", pass, token });
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <>
      <PageHead title={t("gate.guests")} subtitle={t("pass.subtitle")}>
        <PageActions primary={{ text: t("pass.new"), icon: "plus", onClick: () => setOpen({ kind: "new" }) }} />
      </PageHead>
      <Tabs of="/gate" here="/gate/guests" />
      <Card>
        {passes === null ? (
          <p aria-busy="true">{t("state.loading")}</p>
        ) : passes.length === 0 ? (
          <Empty icon="car" text={t("pass.none")} />
        ) : (
          <ul class="list">
            {inOrder(passes, now).map((pass) => (
              <li key={pass.id}>
                <div class="grow">
                  <p>{nameOf(pass)}</p>
                  <p class="row pass-plate">
                    {pass.formatted !== null ? (
                      <span class="plate small">{pass.formatted}</span>
                    ) : (
                      !hasEnded(pass, now) && <span class="badge warn">{t("pass.noPlate")}</span>
                    )}
                    {hasEnded(pass, now) && <span class="badge">{t("pass.ended")}</span>}
                    {pass.cameAt !== null && pass.plate !== null && (
                      <a class="small" href={`/gate/vehicles/${encodeURIComponent(pass.plate)}`}>
                        {t("pass.came", { at: dateTime(pass.cameAt) })}
                      </a>
                    )}
                  </p>
                  <p class="soft small">{detailsOf(pass, now)}</p>
                </div>
                <ActionMenu
                  label={t("pass.actions", { name: nameOf(pass) })}
                  actions={[
                    ...(hasEnded(pass, now)
                      ? []
                      : [{ text: t("pass.newLink"), icon: "refresh" as const, onClick: () => void renew(pass) }]),
                    {
                      text: t(hasEnded(pass, now) ? "pass.remove" : "pass.revoke"),
                      icon: "trash",
                      onClick: () => setOpen({ kind: "revoke", pass }),
                    },
                  ]}
                />
              </li>
            ))}
          </ul>
        )}
      </Card>
      {open?.kind === "new" && <PassDialog onClose={close} />}
      {open?.kind === "link" && (
        <Dialog title={t("pass.made", { name: open.pass.label })} onClose={close}>
          <PassLink token={open.token} name={open.pass.label} plate={open.pass.formatted} />
          <div class="actions">
            <Button look="primary" text={t("action.done")} onClick={close} />
          </div>
        </Dialog>
      )}
      {open?.kind === "revoke" && (
        <Confirm
          {...(hasEnded(open.pass, now)
            ? {
                title: t("pass.removeTitle", { name: nameOf(open.pass) }),
                text: t("pass.removeText"),
                action: t("pass.remove"),
              }
            : {
                title: t("pass.revokeTitle", { name: nameOf(open.pass) }),
                text: t("pass.revokeText"),
                action: t("pass.revoke"),
              })}
          danger
          onYes={() => remove("/api/passes/{id}", { params: { id: open.pass.id } })}
          onClose={close}
        />
      )}
    </>
  );
}

/** Whether a pass has ended, also since the list was loaded. */
function hasEnded({ ended, validTo }: Pass, now: number): boolean {
  return ended || Date.parse(validTo) <= now;
}

/** Passes that hold, or will, before those that are over; the newest first among both. */
function inOrder(passes: readonly Pass[], now: number): readonly Pass[] {
  return passes.toSorted((one, other) => Number(hasEnded(one, now)) - Number(hasEnded(other, now)));
}

function detailsOf(pass: Pass, now: number): string {
  const parts = [boundsText(pass)];
  if (pass.deviceId !== null) parts.push(devices.value.get(pass.deviceId)?.name ?? pass.deviceId);
  if (pass.openedAt !== null) parts.push(t("pass.opened", { at: dateTime(pass.openedAt) }));
  else if (!hasEnded(pass, now)) parts.push(t("pass.notOpened")); // "yet" is over with the pass
  return parts.join(" · ");
}
