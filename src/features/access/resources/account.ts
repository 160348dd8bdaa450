import { type Static, Type } from "typebox";
import { integerId, nullable, oneOf } from "../../../core/api/fields.ts";
import { ALL_SCOPES } from "../../../core/api/scopes.ts";

const ScopeInfo = Type.Object({ scope: Type.String(), description: Type.String() }, { title: "ScopeInfo" });

/** What `GET /v1` returns to anybody. */
export const Index = Type.Object(
  {
    version: Type.String({ examples: ["1.0.0"] }),
    documentation: Type.String({ format: "uri" }),
    openapi: Type.String({ format: "uri" }),
    scopes: Type.Array(ScopeInfo),
    webhookEvents: Type.Array(Type.String()),
    additionalScopes: Type.Array(ScopeInfo, {
      description: "An addition beyond the contract: scopes of operations that are additions.",
    }),
    additionalWebhookEvents: Type.Array(Type.String(), {
      description:
        "An addition beyond the contract: events that a webhook is sent only if it is registered for them by name.",
    }),
  },
  { title: "Index" },
);

/** The index as a value. */
export type Index = Static<typeof Index>;

/** What `GET /v1/me` returns about the credential. */
export const Me = Type.Object(
  {
    account: nullable(
      Type.Object({ id: integerId(), email: Type.String(), name: Type.String() }, { title: "Account" }),
    ),
    deviceCount: Type.Integer({
      minimum: 0,
      description: "Devices of the household that the credential sees (live or test).",
    }),
    auth: Type.Object(
      {
        method: oneOf(["api_key", "session"]),
        keyName: Type.String({ description: "Name of the key; `console` for a session." }),
        env: oneOf(["live", "test"]),
        scopes: Type.Array(oneOf(ALL_SCOPES), { description: "The scopes the credential actually holds." }),
      },
      { title: "AuthInfo" },
    ),
  },
  { title: "Me" },
);

/** The answer of `/v1/me` as a value. */
export type Me = Static<typeof Me>;
