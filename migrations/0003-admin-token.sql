-- SHA-256 of the generated bearer token of the REST API; one row at most.
CREATE TABLE admin_token (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  created_at_ms INTEGER NOT NULL CHECK (created_at_ms >= 0)
) STRICT;
