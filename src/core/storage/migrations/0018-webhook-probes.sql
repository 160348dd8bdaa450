-- A webhook that was disabled by failures is tried again by the hub itself unless its owner says otherwise; those from before are too.
UPDATE webhook SET probe = 1;
