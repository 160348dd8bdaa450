import { useEffect, useState } from "preact/hooks";
import { get, post, put } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { type PushAbility, pushAbility, subscribeHere } from "../../../console/push.ts";
import { account, isOwner } from "../../../console/session.ts";
import { wayToHttps } from "../../access/console/clear-notice.tsx";
import type { Preferences } from "./notification-settings.tsx";

const CANNOT: Readonly<
  Record<Exclude<PushAbility, "ready">, "push.insecure" | "push.install" | "push.unsupported" | "push.blocked">
> = {
  insecure: "push.insecure",
  install: "push.install",
  unsupported: "push.unsupported",
  blocked: "push.blocked",
};

/** A finger is what points at it. */
const isPhone = (): boolean => matchMedia("(pointer: coarse)").matches;

/** One button from nothing to a message on this phone: Web Push with its defaults, this browser, and a test. */
export function PhoneCard({ preferences, reload }: { preferences: Preferences; reload: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<{ readonly delivered: boolean; readonly text: string } | null>(null);
  const ability = pushAbility();
  const [way, setWay] = useState<string | null>(null);
  useEffect(() => void wayToHttps().then(setWay, () => {}), []);
  const isOpen = preferences.ways.some((way) => way.channel === "push" && way.open);
  const here = preferences.push.subscriptions.find(({ isThisSession }) => isThisSession);
  const begin = async (): Promise<void> => {
    setBusy(true);
    setOutcome(null);
    try {
      const publicKey = isOpen ? preferences.push.publicKey : await switchPushOn();
      const made = publicKey === null ? null : await subscribeHere(publicKey);
      if (made === null) return say(t("push.blocked"));
      const { id: subscriptionId } = await post("/api/notifications/subscriptions", { body: made });
      reload();
      const { delivered, text, words } = await post("/api/notifications/test", {
        body: { channel: "push", subscriptionId },
      });
      setOutcome({ delivered, text: delivered ? t("phone.testSent") : recordedText("detail", words, text) });
    } catch (error) {
      if (error instanceof DOMException) say(t("push.failed", { why: error.message }));
      else sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={t(isPhone() ? "phone.title" : "phone.titleComputer")}>
      {here !== undefined ? (
        <p>{t("push.isOn")}</p>
      ) : ability !== "ready" ? (
        <p class="soft small">
          {t(CANNOT[ability])} {way !== null && <a href={way}>{t("network.lock")}</a>}
        </p>
      ) : !isOpen && !isOwner.value ? (
        <p class="soft small">{t("notify.closedMember")}</p>
      ) : (
        <>
          <div class="row">
            <Button
              look="primary"
              icon="bell"
              text={t(isBusy ? "notify.testing" : isPhone() ? "phone.begin" : "phone.beginComputer")}
              disabled={isBusy}
              onClick={() => void begin()}
            />
          </div>
          <p class="soft small">{t("phone.text")}</p>
        </>
      )}
      {outcome !== null && <Notice tone={outcome.delivered ? "good" : "bad"}>{outcome.text}</Notice>}
    </Card>
  );
}

/** Sets Web Push up for the household as most want it; returns the hub's key, null where it has none. */
async function switchPushOn(): Promise<string | null> {
  const { push } = (await get("/api/notifications/channels")).channels;
  const body = {
    contact: push?.contact ?? account.value?.email ?? "",
    hosts: push?.hosts ?? [],
    pictures: push?.pictures ?? true,
    enabled: true,
  };
  await put("/api/notifications/channels/push", { body });
  return (await get("/api/notifications/preferences")).preferences.push.publicKey;
}
