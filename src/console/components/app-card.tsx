import { t } from "../i18n/translate.ts";
import { installOffer } from "../installed.ts";
import { Card } from "./basics.tsx";
import { Button } from "./button.tsx";

/** How to install the console as an app on this device, and what that has to do with the connection. */
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
