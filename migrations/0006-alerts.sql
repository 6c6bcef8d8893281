-- Alerts, those that stand and the latest of those that are over; at most one stands per subject.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY,
  code INTEGER NOT NULL CHECK (code IN (70, 78, 79)),
  -- Empty: it concerns the node whatever the group.
  group_name TEXT NOT NULL,
  node TEXT NOT NULL CHECK (node <> ''),
  cause TEXT NOT NULL CHECK (cause <> ''),
  text TEXT NOT NULL CHECK (text <> ''),
  raised_at_ms INTEGER NOT NULL CHECK (raised_at_ms >= 0),
  cleared_at_ms INTEGER CHECK (cleared_at_ms >= 0)
) STRICT;
CREATE UNIQUE INDEX alerts_standing ON alerts (code, group_name, node) WHERE cleared_at_ms IS NULL;

-- What still has to be told to whom, oldest first. `target` is a hash: addresses of webhooks may hold secrets.
CREATE TABLE alert_notices (
  id INTEGER PRIMARY KEY,
  alert_id INTEGER NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  target TEXT NOT NULL CHECK (target <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('raised', 'cleared'))
) STRICT;
CREATE INDEX alert_notices_target ON alert_notices (target, id);
CREATE INDEX alert_notices_alert ON alert_notices (alert_id);
