-- A third role between member and owner. A CHECK cannot be changed: the column is made anew, which touches no other table, unlike dropping `account`.
ALTER TABLE account ADD COLUMN next_role TEXT NOT NULL DEFAULT 'owner' CHECK (next_role IN ('owner', 'gatekeeper', 'member'));
UPDATE account SET next_role = role;
ALTER TABLE account DROP COLUMN role;
ALTER TABLE account RENAME COLUMN next_role TO role;

ALTER TABLE invitation ADD COLUMN next_role TEXT NOT NULL DEFAULT 'member' CHECK (next_role IN ('owner', 'gatekeeper', 'member'));
UPDATE invitation SET next_role = role;
ALTER TABLE invitation DROP COLUMN role;
ALTER TABLE invitation RENAME COLUMN next_role TO role;

-- Which the issuer had then, and must have, or a higher one, for the grant to stand. Without one only an owner's stand.
ALTER TABLE issued ADD COLUMN next_role TEXT NOT NULL DEFAULT 'owner' CHECK (next_role IN ('owner', 'gatekeeper', 'member'));
UPDATE issued SET next_role = role;
ALTER TABLE issued DROP COLUMN role;
ALTER TABLE issued RENAME COLUMN next_role TO role;
