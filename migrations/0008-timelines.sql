-- Where each stream stands on the timeline of its group, so that it goes on there after a restart.
CREATE TABLE timelines (
  stream TEXT PRIMARY KEY CHECK (stream <> ''),
  -- Form of `remembered`; rows of another form are of another version of the agent and not read.
  form INTEGER NOT NULL CHECK (form >= 1),
  remembered TEXT NOT NULL CHECK (json_valid(remembered)),
  kept_at_ms INTEGER NOT NULL CHECK (kept_at_ms >= 0)
) STRICT, WITHOUT ROWID;
