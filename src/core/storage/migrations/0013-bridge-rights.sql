-- Rights of clients of other makes belong to their credential: which makes it was accepted for, and who left a retained message.
ALTER TABLE bridge_client ADD COLUMN families TEXT NOT NULL DEFAULT '';  -- names with spaces between them, beside `family`
ALTER TABLE mqtt_retained ADD COLUMN publisher TEXT;                     -- the bridge's client within the broker (src/mqtt/bridge-side.ts); null: a native device, or unknown
