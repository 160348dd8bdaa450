import { SelectField } from "../../../console/components/field.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { ROLES, type Role } from "../../../core/api/roles.ts";

/** What people call each role, and what it may do, in one sentence. */
const ROLE_TEXTS = {
  member: ["role.member", "role.memberText"],
  gatekeeper: ["role.gatekeeper", "role.gatekeeperText"],
  owner: ["role.owner", "role.ownerText"],
} as const satisfies Readonly<Record<Role, readonly [word: TextKey, text: TextKey]>>;

/** The name of a role. */
export function roleWord(role: Role): string {
  return t(ROLE_TEXTS[role][0]);
}

/** The choice of a role; its hint says what the chosen one may do. */
export function RoleField({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  return (
    <SelectField
      label={t("persons.role")}
      hint={t(ROLE_TEXTS[value][1])}
      value={value}
      onChange={onChange}
      options={ROLES.map((role) => [role, roleWord(role)] as const)}
    />
  );
}
