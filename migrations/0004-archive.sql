-- What an operator says of a stream's archive, as JSON: it is read and written whole.
ALTER TABLE streams ADD COLUMN archive TEXT CHECK (json_valid(archive));
-- What is recorded, as merged half-open ranges in Unix ms: never a row per segment.
CREATE TABLE coverage (
  stream TEXT NOT NULL CHECK (length(stream) BETWEEN 1 AND 200),
  container TEXT NOT NULL CHECK (container IN ('ts', 'fmp4')),
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  PRIMARY KEY (stream, container, start_ms),
  CHECK (start_ms < end_ms)
) STRICT, WITHOUT ROWID;
