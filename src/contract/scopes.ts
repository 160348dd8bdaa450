/** The contract's scopes, with what each grants (docs/spec/device-control-api.md §5). A scope implies no other. */
const CONTRACT_SCOPES = {
  "devices:read": "Read the account, its devices and their state.",
  "devices:write": "Rename devices, assign rooms, mark favourites.",
  "devices:control": "Send commands to devices.",
  "telemetry:read": "Read telemetry samples and energy series.",
  "rooms:read": "List rooms.",
  "scenes:read": "List scenes.",
  "scenes:run": "Activate scenes.",
  "automations:read": "List automation rules.",
  "automations:write": "Create, change and delete automation rules.",
  "events:read": "Read the activity feed.",
  "plates:read": "Read plate sightings, capture images, vehicles, occupancy and plate rules.",
  "plates:write": "Create and delete plate rules.",
} as const;

/** Additions, for operations beyond the contract's. */
const MORE_SCOPES = {
  "telemetry:export": "Fetch the present values of all devices, for Prometheus.",
  "gate:confirm": "See whom the gate asks about, with the picture, and let them in or not.",
  "estate:read": "Read plate sightings, visits and occupancy of all gates of the estate.",
} as const;

/** The scopes of an API key, with what each grants. */
export const SCOPES = { ...CONTRACT_SCOPES, ...MORE_SCOPES } as const;

/** Name of a scope. */
export type Scope = keyof typeof SCOPES;

/** All scopes in the contract's order. */
export const ALL_SCOPES = Object.keys(SCOPES) as Scope[]; // keys of a literal object

/** A scope as `GET /v1` lists it. */
interface ListedScope {
  scope: string;
  description: string;
}

/** All scopes as `GET /v1` lists them: the contract's table stays as it is for clients that decode it strictly. */
export function listedScopes(): { scopes: ListedScope[]; additionalScopes: ListedScope[] } {
  return { scopes: listed(CONTRACT_SCOPES), additionalScopes: listed(MORE_SCOPES) };
}

function listed(scopes: Readonly<Record<string, string>>): ListedScope[] {
  return Object.entries(scopes).map(([scope, description]) => ({ scope, description }));
}
