-- Bearer tokens made through the API; only their SHA-256 is kept.
CREATE TABLE tokens (
  id TEXT PRIMARY KEY CHECK (id <> ''),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  scope TEXT NOT NULL CHECK (scope IN ('read', 'write')),
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  created_at_ms INTEGER NOT NULL CHECK (created_at_ms >= 0),
  created_by TEXT NOT NULL CHECK (created_by <> '')
) STRICT, WITHOUT ROWID;

-- What operators changed. Ids never fall, also when the newest rows are trimmed away.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL CHECK (at_ms >= 0),
  who TEXT NOT NULL CHECK (who <> ''),
  action TEXT NOT NULL CHECK (action <> ''),
  target TEXT CHECK (target <> ''),
  before_json TEXT CHECK (json_valid(before_json)),
  after_json TEXT CHECK (json_valid(after_json))
) STRICT;
CREATE INDEX audit_by_time ON audit (at_ms);
