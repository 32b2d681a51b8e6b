-- Submission types have the field `key`.

ALTER TABLE submission_types RENAME COLUMN type_key TO key;
