-- Newsletter subscribers and the proof of their consent.

-- columns: shown = status confirmed_at unsubscribed_at mail_error round asked_at created_at updated_at

-- name: get
SELECT s.id, s.email, s.name, s.language,
       coalesce(s.contact_id, (SELECT min(id) FROM contacts WHERE email = s.email)) AS contact_id, {s.shown}
  FROM newsletter_subscribers s
 WHERE s.id = :id;

-- name: list
SELECT s.id, s.email, s.name, s.language,
       coalesce(s.contact_id, (SELECT min(id) FROM contacts WHERE email = s.email)) AS contact_id, {s.shown}
  FROM newsletter_subscribers s
 WHERE TRUE
   AND s.id IN (SELECT value FROM json_each(:ids))                                             -- when ids
   AND likelihood(s.updated_at >= :updated_since, 0.0001)                                      -- when updated_since
   AND s.status = :status                                                                      -- when status
   AND s.created_at >= :from_date                                                              -- when from_date
   AND s.created_at <= :to_date                                                                -- when to_date
   AND s.id IN (SELECT rowid FROM newsletter_search WHERE newsletter_search MATCH :search)     -- when search
 ORDER BY {sort} {order} NULLS LAST, s.id {order}  -- sort: id=s.id email=s.email_folded name=s.name_folded created_at=s.created_at confirmed_at=s.confirmed_at

-- name: by_email
SELECT id FROM newsletter_subscribers WHERE email = :email;

-- name: consents
SELECT id, action, at, consent_text, source, ip_address, user_agent, created_at
  FROM newsletter_consents WHERE subscriber_id = :id ORDER BY id;

-- name: add
INSERT INTO newsletter_subscribers (email, name, email_folded, name_folded, language, status, created_at, updated_at)
VALUES (:email, :name, fold(:email), fold(:name), :language, 'pending', :now, :stamp);

-- name: change
UPDATE newsletter_subscribers SET name = :name, name_folded = fold(:name), language = :language, updated_at = :stamp
 WHERE id = :id;

-- name: ask
UPDATE newsletter_subscribers SET status = 'pending', asked_at = :at, mail_error = NULL, updated_at = :stamp
 WHERE id = :id;

-- name: confirm
UPDATE newsletter_subscribers SET status = 'confirmed', confirmed_at = :at, unsubscribed_at = NULL, updated_at = :stamp
 WHERE id = :id;

-- name: unsubscribe
-- End the subscription. A new round makes the links in earlier confirmation mails invalid.
UPDATE newsletter_subscribers SET status = 'unsubscribed', unsubscribed_at = :now, round = round + 1,
  updated_at = :stamp WHERE id = :id;

-- name: refused
UPDATE newsletter_subscribers SET mail_error = :error, updated_at = :stamp WHERE id = :id;

-- name: prove
INSERT INTO newsletter_consents (subscriber_id, action, at, consent_text, source, ip_address, user_agent, created_at)
VALUES (:id, :action, :at, :consent_text, :source, :ip_address, :user_agent, :now);

-- name: secret
-- The key with which the tokens in links are computed.
SELECT secret FROM newsletter_secret;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: drop_of_records
DELETE FROM newsletter_subscribers
 WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'newsletter_subscriber') RETURNING id;

-- Merging: what a contact hands over to the contact `contact_id`.

-- name: to_hand_over
-- Newsletter subscribers that belong to the duplicate. If several contacts have the address, it is that of the oldest.
SELECT id FROM newsletter_subscribers WHERE contact_id = :duplicate_id
 UNION SELECT s.id FROM contacts c JOIN newsletter_subscribers s ON s.email = c.email
        WHERE c.id = :duplicate_id AND s.contact_id IS NULL
        AND c.id = (SELECT min(o.id) FROM contacts o WHERE o.email = c.email)
 ORDER BY id;

-- name: hand_over
UPDATE newsletter_subscribers SET contact_id = :contact_id, updated_at = :stamp WHERE id = :id;
