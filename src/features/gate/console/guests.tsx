import { useEffect, useState } from "preact/hooks";
import { get, post, remove } from "../../../console/api.ts";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm, Dialog } from "../../../console/components/dialog.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { ActionMenu, PageActions } from "../../../console/components/page-actions.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { dateTime, t } from "../../../console/i18n/translate.ts";
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
            {passes.map((pass) => (
              <li key={pass.id}>
                <div class="grow">
                  <p>{pass.label}</p>
                  <p class="row pass-plate">
                    {pass.formatted === null ? (
                      <span class="badge warn">{t("pass.noPlate")}</span>
                    ) : (
                      <span class="plate small">{pass.formatted}</span>
                    )}
                    {pass.ended && <span class="badge">{t("pass.ended")}</span>}
                    {pass.cameAt !== null && pass.plate !== null && (
                      <a class="small" href={`/gate/vehicles/${encodeURIComponent(pass.plate)}`}>
                        {t("pass.came", { at: dateTime(pass.cameAt) })}
                      </a>
                    )}
                  </p>
                  <p class="soft small">{detailsOf(pass)}</p>
                </div>
                <ActionMenu
                  label={t("pass.actions", { name: pass.label })}
                  actions={[
                    ...(pass.ended
                      ? []
                      : [{ text: t("pass.newLink"), icon: "refresh" as const, onClick: () => void renew(pass) }]),
                    {
                      text: t("pass.revoke"),
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
          title={t("pass.revokeTitle", { name: open.pass.label })}
          text={t("pass.revokeText")}
          action={t("pass.revoke")}
          danger
          onYes={() => remove("/api/passes/{id}", { params: { id: open.pass.id } })}
          onClose={close}
        />
      )}
    </>
  );
}

function detailsOf(pass: Pass): string {
  const parts = [boundsText(pass)];
  if (pass.deviceId !== null) parts.push(devices.value.get(pass.deviceId)?.name ?? pass.deviceId);
  parts.push(pass.openedAt === null ? t("pass.notOpened") : t("pass.opened", { at: dateTime(pass.openedAt) }));
  return parts.join(" · ");
}
