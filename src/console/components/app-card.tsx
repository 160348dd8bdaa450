import { t } from "../i18n/translate.js";
import { installOffer } from "../installed.js";
import { Card } from "./basics.js";
import { Button } from "./button.js";

/** How the console becomes an app on this device, and what the connection has to do with it. */
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
