-- Streams that came through the API; those of the streams file stay in the file.
CREATE TABLE streams (
  name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 200),
  origin TEXT CHECK (origin <> ''),
  dash TEXT CHECK (dash <> ''),
  group_name TEXT CHECK (group_name <> ''),
  reserve INTEGER NOT NULL CHECK (reserve IN (0, 1)),
  source TEXT CHECK (source <> ''),
  CHECK (origin IS NOT NULL OR dash IS NOT NULL)
) STRICT, WITHOUT ROWID;
