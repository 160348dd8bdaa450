import { Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { useHubOrigin } from "../../../console/components/hub-address.ts";
import { useShownOnce } from "../../../console/components/once.ts";
import { QrCode } from "../../../console/components/qr-code.tsx";
import { ShownOnce } from "../../../console/components/shown-once.tsx";
import { TrustLine } from "../../../console/components/trust-line.tsx";
import { t } from "../../../console/i18n/translate.ts";

/**
 * The link of a guest's pass, to be sent or scanned; it is shown only this once. Its token is behind the `#`, so that
 * no proxy logs it.
 */
export function PassLink({
  token,
  name,
  plate,
}: {
  token: string;
  name: string;
  /** Null: the guest has yet to tell it. */
  plate: string | null;
}) {
  useShownOnce();
  const origin = useHubOrigin();
  const link = `${origin}/guest#${token}`;
  // the guest reads it where the link cannot be opened: on the way, on mobile data
  const message = t("pass.shareText", { name, known: plate === null ? "no" : "yes", plate: plate ?? "" });
  const share = (): void =>
    void navigator.share({ title: t("pass.shareTitle"), text: message, url: link }).catch(() => {}); // closed without sending
  if (origin === null) return <p aria-busy="true">{t("state.loading")}</p>;
  return (
    <div class="stack">
      {plate === null ? (
        <Notice tone="warn">{t("pass.needsPlate")}</Notice>
      ) : (
        <Notice tone="good">{t("pass.plateIsEnough", { plate })}</Notice>
      )}
      <p>{t("pass.linkOnlyHere")}</p>
      <TrustLine origin={origin} />
      <QrCode text={link} label={t("pass.qr")} />
      <ShownOnce text={link} copy={t("pass.copyLink")} />
      <div class="row">
        {"share" in navigator && <Button icon="share" text={t("action.share")} onClick={share} />}
        <Button text={t("pass.copyMessage")} onClick={() => void copyText(`${message}\n${link}`)} />
      </div>
      <p class="soft small">{t("pass.linkHint")}</p>
    </div>
  );
}
