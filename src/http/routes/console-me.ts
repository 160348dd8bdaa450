import type { Access } from "../../access/access.js";
import { sessionIdOf } from "../../access/authenticator.js";
import { beginTotp, changePassword, confirmTotp, disableTotp, getOwnAccount, renewRecoveryCodes, updateOwnAccount } from "../../contract/routes/console-me.js";
import { type Answer, type BoundRoute, bind } from "../exchange.js";
import { sourceOf } from "./console-session.js";

/** The own account: name, password, second factor, recovery codes. */
export function ownAccountRoutes({ accounts, signIn, secondFactor }: Pick<Access, "accounts" | "signIn" | "secondFactor">): BoundRoute[] {
  const shown = (accountId: number): Answer => {
    const { id, email, name, role, totp_secret } = accounts.get(accountId);
    return { status: 200, body: { account: { id, email, name, role, totp: totp_secret !== null, recoveryCodesLeft: secondFactor.codesLeft(accountId) } } };
  };
  return [
    bind(getOwnAccount, ({ caller }) => shown(caller.accountId)),
    bind(updateOwnAccount, async ({ caller, body }) => {
      await accounts.edit(caller.accountId, body, caller);
      return shown(caller.accountId);
    }),
    bind(changePassword, async ({ caller, body, facts }) => {
      await signIn.changePassword(caller.accountId, { current: body.current, next: body.password, sessionId: sessionIdOf(caller) }, sourceOf(facts));
      return { status: 200, body: { done: true } };
    }),
    bind(beginTotp, async ({ caller, body, facts }) => {
      await signIn.reauthenticate(caller.accountId, body.password, sourceOf(facts));
      return { status: 200, body: secondFactor.begin(caller.accountId) };
    }),
    bind(confirmTotp, async ({ caller, body }) => ({ status: 200, body: { recoveryCodes: await secondFactor.confirm(caller.accountId, body.code, caller) } })),
    bind(disableTotp, async ({ caller, body, facts }) => {
      await signIn.reauthenticate(caller.accountId, body.password, sourceOf(facts));
      await secondFactor.disable(caller.accountId, caller);
      return { status: 200, body: { done: true } };
    }),
    bind(renewRecoveryCodes, async ({ caller, body, facts }) => {
      await signIn.reauthenticate(caller.accountId, body.password, sourceOf(facts));
      return { status: 200, body: { recoveryCodes: await secondFactor.renewCodes(caller.accountId, caller) } };
    }),
  ];
}
