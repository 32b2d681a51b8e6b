-- The roster for the page at the door has its own salt: it holds 5 bytes of each hash, and the salt is drawn until no two
-- badges of the event share them. NULL: no device has asked for the roster yet.
ALTER TABLE check_in_rosters ADD COLUMN door_salt BLOB;
