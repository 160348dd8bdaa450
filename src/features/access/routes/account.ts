import type { Caller } from "../../../core/api/caller.ts";
import { listedScopes } from "../../../core/api/scopes.ts";
import { CONTRACT_EVENTS, MORE_EVENTS } from "../../../core/api/webhook-events.ts";
import { type BoundRoute, bind, bindOpen } from "../../../core/http/exchange.ts";
import type { Accounts } from "../accounts.ts";
import { getIndex, getMe } from "../api/account.ts";
import type { Index, Me } from "../resources/account.ts";
import type { AccountRow } from "../tables/account.ts";

/** Version of the interface (docs/spec/device-control-api.md §9). */
const API_VERSION = "1.0.0";

/** `GET /v1` and `GET /v1/me`. */
export function accountRoutes(accounts: Accounts, deviceCount: (siteId: number) => number): BoundRoute[] {
  return [
    bindOpen(getIndex, ({ baseUrl }) => ({ status: 200, body: index(baseUrl) })),
    bind(getMe, ({ caller }) => ({
      status: 200,
      body: me(accounts.get(caller.accountId), deviceCount(caller.siteId), caller),
    })),
  ];
}

function index(baseUrl: string): Index {
  return {
    version: API_VERSION,
    documentation: `${baseUrl}/v1/docs`,
    openapi: `${baseUrl}/v1/openapi.json`,
    ...listedScopes(),
    webhookEvents: [...CONTRACT_EVENTS],
    additionalWebhookEvents: [...MORE_EVENTS],
  };
}

function me({ id, email, name }: AccountRow, deviceCount: number, caller: Caller): Me {
  return {
    account: { id, email, name },
    deviceCount,
    auth: {
      method: caller.method === "session" ? "session" : "api_key",
      keyName: caller.keyName,
      env: caller.env,
      scopes: [...caller.scopes],
    },
  };
}
