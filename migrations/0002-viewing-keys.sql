-- The key ring. Secrets are kept as they are: the file may be read by its owner only.
CREATE TABLE viewing_keys (
  id TEXT PRIMARY KEY CHECK (id <> ''),
  generation INTEGER NOT NULL CHECK (generation >= 0),
  created_at_ms INTEGER NOT NULL CHECK (created_at_ms >= 0),
  superseded_at_ms INTEGER CHECK (superseded_at_ms >= 0),
  secret BLOB NOT NULL CHECK (length(secret) = 32)
) STRICT, WITHOUT ROWID;
