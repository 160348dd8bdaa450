-- Wrong PINs of homes that joined by Matter, so that a restart lets nobody begin again.
ALTER TABLE matter_pin ADD COLUMN guesses TEXT NOT NULL DEFAULT '{}'; -- JSON by home: { count, pauses, until (epoch ms) }
