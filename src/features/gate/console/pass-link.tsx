import { Button } from "../../../console/components/button.tsx";
import { useHubOrigin } from "../../../console/components/hub-address.ts";
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
  const origin = useHubOrigin();
  const link = `${origin}/guest#${token}`;
  const share = (): void =>
    void navigator
      .share({ title: t("pass.shareTitle"), text: t("pass.shareText", { name }), url: link })
      .catch(() => {}); // closed without sending
  if (origin === null) return <p aria-busy="true">{t("state.loading")}</p>;
  return (
    <div class="stack">
      <p>{t("pass.linkText")}</p>
      <TrustLine origin={origin} />
      <QrCode text={link} label={t("pass.qr")} />
      <ShownOnce text={link} />
      {"share" in navigator && <Button icon="share" text={t("pass.share")} onClick={share} />}
      <p class="soft small">{t("pass.linkHint", { told: plate === null ? "no" : "yes", plate: plate ?? "" })}</p>
    </div>
  );
}
