/** The scopes of an API key, with what each grants (docs/spec/device-control-api.md §5). A scope implies no other. */
export const SCOPES = {
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
  "telemetry:export": "Fetch the present values of all devices, for Prometheus.",
  "estate:read": "Read plate sightings, visits and occupancy of all gates of the estate.",
} as const;

/** Name of a scope. */
export type Scope = keyof typeof SCOPES;

/** All scopes in the contract's order. */
export const ALL_SCOPES = Object.keys(SCOPES) as Scope[]; // keys of a literal object
