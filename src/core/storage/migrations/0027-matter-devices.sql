-- Devices that joined the hub by Matter: which endpoint of which node is which device of the hub.
CREATE TABLE matter_device (
  node         TEXT NOT NULL,                -- 16 hexadecimal digits, given by the hub
  endpoint     INTEGER NOT NULL,             -- the endpoint that the device is named after
  device_id    TEXT NOT NULL,                -- of the hub; outlives the device, so that a removed one does not come back
  fate         TEXT NOT NULL CHECK (fate IN ('bound', 'gone', 'removed')),
  announcement TEXT NOT NULL,                -- JSON: the device as it was described last
  PRIMARY KEY (node, endpoint)
) STRICT, WITHOUT ROWID;
