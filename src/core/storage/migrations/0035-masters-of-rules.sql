-- Who has made a rule what it is: a guest, a key or an owner (src/domain/plates/masters.ts).
ALTER TABLE plate_rule ADD COLUMN master TEXT NOT NULL DEFAULT 'owner' CHECK (master IN ('guest', 'key', 'owner'));
-- A pass whose rule somebody has edited since has none any more, and its link makes no other.
UPDATE guest_pass SET rule_id = NULL, tries_left = 0 WHERE id IN (
  SELECT p.id FROM guest_pass p JOIN plate_rule r ON r.id = p.rule_id
  WHERE r.kind <> 'allow' OR r.enabled = 0 OR r.label <> p.label OR r.device_id IS NOT p.device_id
     OR r.valid_from IS NOT p.valid_from OR r.valid_to IS NOT p.valid_to OR r.windows IS NOT p.windows);
UPDATE plate_rule SET master = 'guest' WHERE id IN (SELECT rule_id FROM guest_pass WHERE rule_id IS NOT NULL);
