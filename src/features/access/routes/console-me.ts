import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTimeOrNull } from "../../../core/kernel/clock.ts";
import type { Access } from "../access.ts";
import {
  beginTotp,
  changePassword,
  confirmTotp,
  disableTotp,
  getOwnAccount,
  renewRecoveryCodes,
  updateOwnAccount,
} from "../api/console-me.ts";
import { sessionIdOf } from "../authenticator.ts";

/** The own account: name, password, second factor, recovery codes. */
export function ownAccountRoutes({
  accounts,
  signIn,
  secondFactor,
  proofs,
}: Pick<Access, "accounts" | "signIn" | "secondFactor" | "proofs">): BoundRoute[] {
  const shown = (accountId: number) => {
    const { id, email, name, role, endsAt, totpSecret } = accounts.get(accountId);
    return {
      status: 200 as const,
      body: {
        account: {
          id,
          email,
          name,
          role,
          until: isoTimeOrNull(endsAt),
          totp: totpSecret !== null,
          recoveryCodesLeft: secondFactor.codesLeft(accountId),
        },
      },
    };
  };
  return [
    bind(getOwnAccount, ({ caller }) => shown(caller.accountId)),
    bind(updateOwnAccount, async ({ caller, body }) => {
      await accounts.edit(caller.accountId, body, caller);
      return shown(caller.accountId);
    }),
    bind(changePassword, async ({ caller, body }) => {
      await signIn.changePassword(caller.accountId, {
        next: body.password,
        sessionId: sessionIdOf(caller),
        endGrants: body.endGrants === true,
      });
      return { status: 200, body: { done: true } };
    }),
    bind(beginTotp, ({ caller }) => ({ status: 200, body: secondFactor.begin(caller.accountId) })),
    bind(confirmTotp, async ({ caller, body }) => {
      const recoveryCodes = await secondFactor.confirm(caller.accountId, body.code, caller);
      proofs.forget(caller.accountId, sessionIdOf(caller)); // elsewhere it was proved without the second factor
      return { status: 200, body: { recoveryCodes } };
    }),
    bind(disableTotp, async ({ caller }) => {
      await secondFactor.disable(caller.accountId, caller);
      return { status: 200, body: { done: true } };
    }),
    bind(renewRecoveryCodes, async ({ caller }) => ({
      status: 200,
      body: { recoveryCodes: await secondFactor.renewCodes(caller.accountId, caller) },
    })),
  ];
}
