-- Who sends mails holds a lock that goes with the process: what is found marked by whoever gets it was cut off. No lease has to run out.
DROP INDEX mails_unsettled;
ALTER TABLE mails DROP COLUMN lease_ends_at;
