-- Reads open a gate from 90 % on. A hub that already opened gates by any read keeps doing so until its owner chooses:
-- at the next start this becomes gate.minConfidence = 0 in its settings.
INSERT INTO hub (key, value)
SELECT 'opens_by_any_read', '1'
WHERE EXISTS (
  SELECT 1 FROM camera JOIN site ON site.id = camera.site_id WHERE camera.gate_device_id IS NOT NULL AND site.env = 'live'
);
