import { type Caller, keyIdOf } from "../../../core/api/caller.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { checkIfMatch, objectTag } from "../../../core/http/middleware/conditional.ts";
import { createAutomation, deleteAutomation, listAutomations, updateAutomation } from "../api/automations.ts";
import type { Automations } from "../automations.ts";
import type { Author } from "../rights.ts";
import type { AutomationView } from "../rule-view.ts";
import type { RuleBody } from "../rules/rule.ts";

/** The hub's services used by the automation routes. */
export type AutomationService = Pick<Automations, "list" | "get" | "create" | "edit" | "remove">;

/** The automation routes of /v1. */
export function automationRoutes(service: AutomationService): BoundRoute[] {
  return [
    bind(listAutomations, ({ caller }) => ({
      status: 200,
      body: { automations: service.list(caller.siteId, authorOf(caller)).map((rule) => shownAutomation(rule, caller)) },
    })),
    bind(createAutomation, async ({ caller, body }) => {
      const rule = await service.create(caller.siteId, body, authorOf(caller));
      return { ...answer(201, rule, caller), headers: { Location: `/v1/automations/${rule.id}` } };
    }),
    bind(updateAutomation, async ({ caller, params, body, facts }) => {
      const rule = await service.edit(caller.siteId, params.id, body, authorOf(caller), (current) =>
        checkIfMatch(facts.headers["if-match"], () => tagOf(current)),
      );
      return answer(200, rule, caller);
    }),
    bind(deleteAutomation, async ({ caller, params }) => {
      await service.remove(caller.siteId, params.id, authorOf(caller));
      return { status: 200, body: { deleted: true } };
    }),
  ];
}

/** The author of a rule written with this credential: a key itself; a person for the household. */
export function authorOf(caller: Caller): Author {
  return { keyId: keyIdOf(caller), actor: caller.actor, scopes: caller.scopes };
}

function answer<Status extends number>(status: Status, rule: AutomationView, caller: Caller) {
  return { status, body: { automation: shownAutomation(rule, caller) }, etag: tagOf(rule) };
}

/** A rule in the shape of the contract; which key wrote it is for persons only. */
export function shownAutomation({ author, ...rule }: AutomationView, caller: Caller) {
  const resource = { ...rule, etag: tagOf(rule) };
  return caller.method === "session" ? { ...resource, author } : resource;
}

/** The members that a client edits; a run of the rule changes none of them. */
function tagOf({ name, enabled, trigger, conditions, action, mode, cooldownSeconds }: RuleBody): string {
  return objectTag({ name, enabled, trigger, conditions, action, mode, cooldownSeconds });
}
