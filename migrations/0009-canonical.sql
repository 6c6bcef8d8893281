-- Whether a stream may be written anew; NULL where nothing was said: it may.
ALTER TABLE streams ADD COLUMN canonical INTEGER CHECK (canonical IN (0, 1));
