import { useEffect } from "preact/hooks";
import { PageHead } from "../../../console/components/basics.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { go } from "../../../console/router.ts";
import { loaded } from "../../../console/store.ts";
import { ValuesView } from "../../telemetry/console/history.tsx";
import { HouseDay } from "./house-day.tsx";

/** A day of the whole house. */
export function HistoryPage() {
  const isOfValue = new URLSearchParams(location.search).has("device");
  useEffect(() => {
    if (isOfValue) go(`/history/values${location.search}`, { replace: true }); // an address from before there was a day
  }, []);
  if (isOfValue || !loaded.value) return <p aria-busy="true">{t("state.loading")}</p>;
  return (
    <>
      <PageHead title={t("device.history")}>
        <a href="/history/values">{t("states.values")}</a>
      </PageHead>
      <HouseDay />
    </>
  );
}

/** Any value over any time, beside another one. */
export function ValuesPage() {
  return (
    <>
      <PageHead title={t("states.values")} />
      <ValuesView />
    </>
  );
}
