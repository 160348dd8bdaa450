import { t } from "../i18n/translate.ts";
import { Button } from "./button.tsx";
import { useHubOrigin } from "./hub-address.ts";
import { QrCode } from "./qr-code.tsx";
import { ShownOnce } from "./shown-once.tsx";

/**
 * The link of a guest's pass, to be sent or scanned; it is shown only this once. Its token is behind the `#`, so that
 * no proxy logs it.
 */
export function PassLink({ token, name }: { token: string; name: string }) {
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
      <QrCode text={link} label={t("pass.qr")} />
      <ShownOnce text={link} />
      {"share" in navigator && <Button icon="share" text={t("pass.share")} onClick={share} />}
      <p class="soft small">{t("pass.linkHint")}</p>
    </div>
  );
}
