import { Card } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { installOffer } from "../../../console/installed.ts";

/** How to install the console as an app on this device, and why that needs https. */
export function AppCard() {
  const offer = installOffer.value;
  return (
    <Card title={t("app.title")}>
      <p class="soft small">{isSecureContext ? t("app.secure") : t("app.clear")}</p>
      {offer !== null && (
        <div class="row">
          <Button text={t("app.install")} onClick={() => void offer.prompt()} />
        </div>
      )}
    </Card>
  );
}
