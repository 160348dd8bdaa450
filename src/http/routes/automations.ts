import type { AutomationView } from "../../automations/automations.js";
import { createAutomation, deleteAutomation, listAutomations, updateAutomation } from "../../contract/routes/automations.js";
import { type BoundRoute, bind } from "../exchange.js";
import { checkIfMatch } from "../middleware/conditional.js";

/** What the automation routes ask of the hub (`Automations`). */
export interface AutomationService {
  /** By id. */
  list(siteId: number): readonly AutomationView[];
  /** @throws Problem `automation_not_found`. */
  get(siteId: number, id: number): AutomationView;
  /** @throws Problem `invalid_body`, `device_not_owned`, `unknown_scene`, `invalid_plate`, `limit_reached`. */
  create(siteId: number, body: unknown): Promise<AutomationView>;
  /** @throws as create, and Problem `automation_not_found`. */
  edit(siteId: number, id: number, patch: unknown): Promise<AutomationView>;
  /** @throws Problem `automation_not_found`. */
  remove(siteId: number, id: number): Promise<void>;
}

/** The automation routes of /v1. */
export function automationRoutes(service: AutomationService): BoundRoute[] {
  return [
    bind(listAutomations, ({ caller }) => ({ status: 200, body: { automations: service.list(caller.siteId) } })),
    bind(createAutomation, async ({ caller, body }) => ({ status: 201, body: { automation: await service.create(caller.siteId, body) } })),
    bind(updateAutomation, async ({ caller, params, body, facts }) => {
      const current = service.get(caller.siteId, params.id);
      checkIfMatch(facts.headers["if-match"], () => ({ automation: current }));
      return { status: 200, body: { automation: await service.edit(caller.siteId, params.id, body) } };
    }),
    bind(deleteAutomation, async ({ caller, params }) => {
      await service.remove(caller.siteId, params.id);
      return { status: 200, body: { deleted: true } };
    }),
  ];
}
