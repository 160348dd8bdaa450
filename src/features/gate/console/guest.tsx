import { useEffect, useState } from "preact/hooks";
import { ApiError, post } from "../../../console/api.ts";
import { Notice, Plate, TryAgain } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { givenName } from "../../../console/components/household.ts";
import { Logo } from "../../../console/components/logo.tsx";
import { windowText } from "../../../console/components/week-times.ts";
import { zoneName } from "../../../console/components/zone-time.ts";
import { dateTimeIn, isElsewhere, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";

type View = AnswerTo<"POST", "/api/guest/look">["pass"];

/**
 * What a guest sees behind a pass's link, without an account: the gate, the plate, how long it is valid. It opens
 * nothing.
 */
export function GuestPage() {
  const [token, setToken] = useState(location.hash.slice(1));
  useEffect(() => {
    const another = (): void => setToken(location.hash.slice(1));
    addEventListener("hashchange", another);
    return () => removeEventListener("hashchange", another);
  }, []);
  return <Pass key={token} token={token} />;
}

function Pass({ token }: { token: string }) {
  const [pass, setPass] = useState<View | null>(null);
  const [state, setState] = useState<"loading" | "gone" | "away">("loading");
  const [plate, setPlate] = useState("");
  const [isEditing, setEditing] = useState(false);
  const load = (): void =>
    void post("/api/guest/look", { body: { token } })
      .then((answer) => setPass(answer.pass))
      .catch((error: unknown) =>
        setState(error instanceof ApiError && [400, 404].includes(error.status) ? "gone" : "away"),
      );
  useEffect(load, []);
  const send = async (): Promise<void> => {
    const answer = await post("/api/guest/plate", { body: { token, plate } });
    setPass(answer.pass);
    setEditing(false);
    setPlate("");
  };
  if (pass === null) {
    return (
      <main class="page narrow-page">
        <h1>{t("guest.title")}</h1>
        {state === "loading" && <p aria-busy="true">{t("state.loading")}</p>}
        {state === "gone" && <Notice tone="warn">{t("guest.gone")}</Notice>}
        {state === "away" && <TryAgain text={t("guest.away")} onTry={load} />}
      </main>
    );
  }
  const asksForPlate = pass.triesLeft > 0 && (pass.formatted === null || isEditing);
  const household = givenName(pass.household);
  const at = (iso: string): string => dateTimeIn(iso, pass.timeZone);
  return (
    <main class="page narrow-page">
      <div class="brand-head">
        <Logo />
        <h1>{household === null ? t("guest.welcomeHere") : t("guest.welcome", { household })}</h1>
        <p>{t("guest.for", { name: pass.label })}</p>
      </div>
      <section class="card">
        {pass.formatted !== null && (
          <div class="row between">
            <Plate text={pass.formatted} />
            <span class={pass.holdsNow ? "badge good" : "badge warn"}>
              {pass.holdsNow ? t("guest.holds") : t("guest.holdsNot")}
            </span>
          </div>
        )}
        <dl class="facts">
          {pass.gates.length > 0 && (
            <>
              <dt>{t("guest.gate")}</dt>
              <dd>{pass.gates.join(", ")}</dd>
            </>
          )}
          {pass.windows.length > 0 && (
            <>
              <dt>{t("guest.times")}</dt>
              <dd>{pass.windows.map(windowText).join(", ")}</dd>
            </>
          )}
          {pass.validFrom !== null && (
            <>
              <dt>{t("guest.from")}</dt>
              <dd>{at(pass.validFrom)}</dd>
            </>
          )}
          <dt>{t("guest.until")}</dt>
          <dd>{at(pass.validTo)}</dd>
        </dl>
        {isElsewhere(pass.timeZone) && <p class="soft small">{t("guest.zone", { zone: zoneName(pass.timeZone) })}</p>}
        {asksForPlate && pass.formatted === null && <p>{t("guest.tell")}</p>}
        {asksForPlate ? (
          <Form
            isPassing
            submit={t("guest.send")}
            send={send}
            disabled={plate.trim() === ""}
            {...(isEditing ? { onCancel: () => setEditing(false) } : {})}
          >
            {(errors) => (
              <TextField
                label={t("guest.plate")}
                hint={t("guest.tries", { n: pass.triesLeft })}
                value={plate}
                onInput={setPlate}
                error={errors.plate}
                maxLength={32}
                required
              />
            )}
          </Form>
        ) : pass.formatted === null ? (
          <Notice tone="warn">{t("guest.askHost")}</Notice>
        ) : (
          <>
            <p>{t("guest.how")}</p>
            {pass.triesLeft > 0 && <Button text={t("guest.correct")} onClick={() => setEditing(true)} />}
          </>
        )}
      </section>
    </main>
  );
}
