-- What a failure or a rehearsal says, for pages in other languages.
ALTER TABLE backup ADD COLUMN words TEXT; -- JSON {code, …values}; null = problem is all there is
ALTER TABLE backup_rehearsal ADD COLUMN words TEXT; -- JSON {code, …values}; null = text is all there is
