import { useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
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
 * Asks what happens to everything that a person handed out, before the person is removed or gets a lesser role, or when
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
  return (
    <Dialog title={titleOf(fate, name)} onClose={onClose}>
      <p>{person === null ? t("grants.ownText") : textOf(fate)}</p>
      {list !== null && grants.length === 0 && <p class="soft">{t("grants.none")}</p>}
      <Form submit={actionOf(fate)} danger send={send} onCancel={onClose}>
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

function namesOf({ names }: GrantsOfKind): string {
  return names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? ", …" : "");
}

function titleOf(fate: PersonFate, name: string): string {
  if (fate === "remove") return t("persons.removeTitle", { name });
  if (fate === "member") return t("grants.memberTitle", { name });
  if (fate === "gatekeeper") return t("grants.gatekeeperTitle", { name });
  return name === "" ? t("grants.ownTitle") : t("grants.stayTitle", { name });
}

function textOf(fate: PersonFate): string {
  if (fate === "remove") return t("grants.removeText");
  if (fate === "gatekeeper") return t("grants.gatekeeperText");
  return fate === "member" ? t("grants.memberText") : t("grants.stayText");
}

function actionOf(fate: PersonFate): string {
  if (fate === "remove") return t("device.remove");
  if (fate === "gatekeeper") return t("persons.makeGatekeeper");
  return fate === "member" ? t("persons.makeMember") : t("grants.endAction");
}
