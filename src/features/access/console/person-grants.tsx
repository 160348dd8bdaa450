import { useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { SelectField } from "../../../console/components/field.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { say } from "../../../console/components/toast.tsx";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";

type GrantsOfKind = AnswerTo<"GET", "/api/persons/{id}/grants">["grants"][number];
type Fate = GrantsOfKind["proposed"];
/** What happens to the person. */
export type PersonFate = "remove" | "gatekeeper" | "member" | "stay";
type Fates = Readonly<Record<string, Fate>>;

/** Most names shown of a kind; the count covers all. */
const MOST_NAMES = 4;

/**
 * Asks what happens to everything that a person gave to others, before the person is removed or gets a lesser role, or when
 * it is to end. `person` null: one's own.
 */
export function PersonGrants({
  person,
  fate,
  onDone,
  onClose,
}: {
  person: { readonly id: number; readonly name: string } | null;
  fate: PersonFate;
  onDone: () => void;
  onClose: () => void;
}) {
  const [list] = useLoaded(() =>
    person === null
      ? get("/api/me/grants")
      : get("/api/persons/{id}/grants", {
          params: { id: person.id },
          query: fate === "gatekeeper" || fate === "member" ? { remaining: fate } : {},
        }),
  );
  const [chosen, setChosen] = useState<Fates>({});
  const grants = list?.grants ?? [];
  const send = async (): Promise<void> => {
    // covers every kind that was shown: grants added meanwhile get the proposed decision
    const fates = Object.fromEntries(grants.map(({ kind, proposed }) => [kind, chosen[kind] ?? proposed]));
    const { ended } =
      person === null
        ? await post("/api/me/grants/end", { body: { grants: fates } })
        : await post("/api/persons/{id}/grants", { params: { id: person.id }, body: { person: fate, grants: fates } });
    say(t("grants.ended", { n: Object.values(ended).reduce((sum, count) => sum + count, 0) }));
    onDone();
    onClose();
  };
  const name = person?.name ?? "";
  const isOnlyAsking = fate === "stay";
  const none = name === "" ? t("grants.ownNone") : t("grants.none", { name });
  if (list !== null && grants.length === 0 && isOnlyAsking)
    return (
      <Dialog title={titleOf(fate, name)} onClose={onClose}>
        <p>{none}</p>
        <div class="actions">
          <Button look="primary" text={t("button.close")} onClick={onClose} />
        </div>
      </Dialog>
    );
  return (
    <Dialog title={titleOf(fate, name)} onClose={onClose}>
      {fate === "remove" && <p>{t("grants.removeText")}</p>}
      {list !== null && (
        <p class={grants.length === 0 ? "soft" : ""}>{grants.length === 0 ? none : questionOf(fate, name)}</p>
      )}
      <Form submit={actionOf(fate)} danger send={send} onCancel={onClose} disabled={list === null}>
        {() => (
          <>
            {grants.map((grant) => (
              <SelectField
                key={grant.kind}
                label={t("grants.counted", { kind: keyedText(`grantKind.${grant.kind}`, grant.kind), n: grant.count })}
                hint={namesOf(grant)}
                value={chosen[grant.kind] ?? grant.proposed}
                onChange={(wanted) => setChosen({ ...chosen, [grant.kind]: wanted })}
                options={[
                  ["end", t("grants.end")],
                  ["keep", fate === "stay" ? t("grants.leave") : t("grants.keep")],
                ]}
              />
            ))}
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** What was given to others, counted: "2 guest passes, 1 plate that may come in". */
export function countedGrants(grants: readonly GrantsOfKind[]): string {
  return grants.map(({ kind, count }) => keyedText(`grantCount.${kind}`, kind, { n: count })).join(", ");
}

function namesOf({ names }: GrantsOfKind): string {
  return names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? ", …" : "");
}

function titleOf(fate: PersonFate, name: string): string {
  if (fate === "remove") return t("persons.removeTitle", { name });
  if (fate === "member") return t("grants.memberTitle", { name });
  if (fate === "gatekeeper") return t("grants.gatekeeperTitle", { name });
  return name === "" ? t("grants.ownTitle") : t("grants.stayTitle", { name });
}

function questionOf(fate: PersonFate, name: string): string {
  if (fate === "remove") return t("grants.removeAsks");
  if (fate === "gatekeeper") return t("grants.gatekeeperText");
  if (fate === "member") return t("grants.memberText");
  return name === "" ? t("grants.ownText") : t("grants.stayText", { name });
}

function actionOf(fate: PersonFate): string {
  if (fate === "remove") return t("device.remove");
  if (fate === "gatekeeper") return t("persons.makeGatekeeper");
  return fate === "member" ? t("persons.makeMember") : t("grants.endAction");
}
