-- Pictures of the organiser. A change of one is counted as a change of the settings.

-- name: content
SELECT kind, width, height, content FROM organiser_pictures WHERE name = :name;

-- name: facts
SELECT width, height, kind AS type, sha256 FROM organiser_pictures WHERE name = :name;

-- name: put
INSERT INTO organiser_pictures (name, kind, width, height, sha256, content, changed_at)
     VALUES (:name, :kind, :width, :height, :sha256, :content, :now)
    ON CONFLICT (name) DO UPDATE SET kind = :kind, width = :width, height = :height, sha256 = :sha256,
                                     content = :content, changed_at = :now;

-- name: remove
DELETE FROM organiser_pictures WHERE name = :name;
