-- Drafts of applications: what a form of the public pages has sent, until its address is confirmed.

-- name: add
INSERT INTO application_drafts (event_id, form, nonce, fields, email, email_hash, network, wide_network, domain_hash,
  language, mail_base_url, created_at)
VALUES (:event_id, :form, :nonce, :fields, :email, :email_hash, :network, :wide_network, :domain_hash, :language,
  :mail_base_url, :now);

-- name: known
SELECT 1 FROM application_drafts WHERE nonce = :nonce;

-- name: get
SELECT d.id, d.event_id, d.form, d.fields, d.email, d.language, d.application_id, d.confirmed_at, e.event_key
  FROM application_drafts d JOIN events e ON e.id = d.event_id WHERE d.id = :id;

-- name: to_mail
SELECT d.form, d.email, d.language, d.mail_base_url, d.network, d.wide_network, e.title
  FROM application_drafts d JOIN events e ON e.id = d.event_id WHERE d.id = :id;

-- name: mark_mailed
UPDATE application_drafts SET mail_at = :now, mail_base_url = NULL WHERE id = :id;

-- name: forget_mail
-- The mail of the draft was withdrawn before it was sent, so it counts for no limit.
UPDATE application_drafts SET mail_at = NULL WHERE id = :id;

-- name: sent
-- Drafts whose mail was queued since a time, or the unconfirmed ones of them of a network or a domain. Times in the future,
-- of a clock that was wrong, are ignored.
SELECT count(*) FROM application_drafts WHERE mail_at > :since AND mail_at <= :now
   AND network = :network -- when network
   AND wide_network = :wide_network AND network IS NOT NULL -- when wide_network
   AND domain_hash = :domain_hash -- when domain_hash
;

-- name: is_domain_known
SELECT 1 FROM confirmed_domains WHERE domain_hash = :domain_hash AND confirmed_at > :since;

-- name: remember_domain
INSERT INTO confirmed_domains (domain_hash, confirmed_at)
SELECT domain_hash, :now FROM application_drafts WHERE id = :id AND domain_hash IS NOT NULL
    ON CONFLICT DO UPDATE SET confirmed_at = excluded.confirmed_at;

-- name: forget_domains
DELETE FROM confirmed_domains WHERE domain_hash IN (
  SELECT domain_hash FROM confirmed_domains WHERE confirmed_at < :before ORDER BY confirmed_at LIMIT :size);

-- name: waiting
-- Drafts whose mail waits: at first one of each network, in the order of its last mail, then a second one of each. The /48
-- of an IPv6 address is one network here.
SELECT id, network, wide_network, domain_hash FROM (
  SELECT id, network, wide_network, domain_hash,
         row_number() OVER (PARTITION BY coalesce(wide_network, network) ORDER BY id) AS round,
         iif(wide_network IS NULL,
             (SELECT max(l.mail_at) FROM application_drafts l WHERE l.network = d.network),
             (SELECT max(l.mail_at) FROM application_drafts l WHERE l.wide_network = d.wide_network
               AND l.network IS NOT NULL)) AS last_at
    FROM application_drafts d WHERE mail_base_url IS NOT NULL)
 ORDER BY round, last_at NULLS FIRST, id;

-- name: waiting_before
-- An earlier draft of the same network or domain whose mail waits, so that a new one must not overtake it.
SELECT 1 FROM application_drafts
 WHERE mail_base_url IS NOT NULL AND id <> :id
   AND (network = :network OR wide_network = :wide_network OR domain_hash = :domain_hash) LIMIT 1;

-- name: still_waiting
SELECT email_hash FROM application_drafts WHERE id = :id AND mail_base_url IS NOT NULL;

-- name: of_address
-- At most so many drafts with an address whose mail was queued since a time, also confirmed and corrected ones, or waits
-- because of forms of the network. Those that wait because of others use up nothing. Times in the future are ignored.
SELECT count(*) FROM (
  SELECT 1 FROM application_drafts
   WHERE email_hash = :email_hash
     AND (mail_at > :since AND mail_at <= :now
       OR mail_base_url IS NOT NULL AND coalesce(wide_network, network) = :network -- when network
     )
   LIMIT :most);

-- name: drop_waiting_of_address
-- The mails that wait for an address are never sent.
UPDATE application_drafts SET mail_base_url = NULL WHERE email_hash = :email_hash AND mail_base_url IS NOT NULL;

-- name: latest
-- The draft of a form, after the corrections of its address.
SELECT id, event_id, form, nonce, fields, email, language, confirmed_at FROM application_drafts
 WHERE nonce IN (:nonce, :nonce || '.1', :nonce || '.2', :nonce || '.3') AND event_id = :event_id AND form = :form
 ORDER BY id DESC LIMIT 1;

-- name: replace
-- A draft whose address was wrong. The hash of the address stays, since a mail went there.
UPDATE application_drafts SET fields = NULL, email = NULL, mail_base_url = NULL WHERE id = :id;

-- name: drop_secrets
DELETE FROM link_secrets WHERE draft_id = :id;

-- name: hand_over
-- The secrets of a confirmed draft open the page of the application.
UPDATE link_secrets SET link_id = :link_id, draft_id = NULL, mailed_to = :email, expires_at = :expires_at
 WHERE draft_id = :id;

-- name: unconfirmed
-- Number of drafts that wait for confirmation.
SELECT count(*) FROM application_drafts WHERE network IS NOT NULL;

-- name: drop_of_largest_network
-- A draft of the network with the most of them: the oldest one without a mail, since each mail counts for the limits, or
-- else the oldest one. The /48 of an IPv6 address is one network here.
DELETE FROM application_drafts WHERE id = (
  SELECT id FROM application_drafts
   WHERE network IS NOT NULL
     AND coalesce(wide_network, network) = (
       SELECT coalesce(wide_network, network) FROM application_drafts WHERE network IS NOT NULL
        GROUP BY coalesce(wide_network, network) ORDER BY count(*) DESC, min(id) LIMIT 1)
   ORDER BY mail_at IS NOT NULL, id LIMIT 1);

-- name: confirm
UPDATE application_drafts
   SET fields = NULL, email = NULL, network = NULL, wide_network = NULL, domain_hash = NULL, mail_base_url = NULL,
       application_id = :application_id, confirmed_at = :now
 WHERE id = :id;

-- name: applications
-- Applications of exhibitors that count for the capacity of their form: all but those of visitors.
SELECT count(*) FROM application_events x JOIN applications a ON a.id = x.application_id
 WHERE x.event_id = :event_id AND a.status NOT IN ('rejected', 'withdrawn')
   AND NOT EXISTS (SELECT 1 FROM application_categories c JOIN categories k ON k.id = c.category_id
                    WHERE c.application_id = a.id AND k.approval = 'automatic');

-- name: categories
-- The categories of an event that applicants can choose in a form, with the participants of each that have not cancelled.
SELECT k.id, k.category_key, k.title, k.base_price, k.capacity, u.title AS parent_title,
       CASE WHEN k.exemption_reason IS NULL THEN k.tax_rate ELSE 0 END AS tax_rate,
       (SELECT ifnull(sum(n.participants), 0) FROM participant_counts n
         WHERE n.event_id = x.event_id AND n.category_id = k.id AND n.status <> 'cancelled') AS participants
  FROM category_events x JOIN categories k ON k.id = x.category_id LEFT JOIN categories u ON u.id = k.parent_category_id
 WHERE x.event_id = :event_id AND k.applicant_visibility = 'selectable' AND k.approval = :approval
 ORDER BY u.sort_order NULLS FIRST, u.id, k.sort_order, fold(k.title), k.id;

-- name: registered
-- The application with which an address has registered for an event, and whose participant has not cancelled.
SELECT a.id FROM applications a JOIN application_events x ON x.application_id = a.id
  JOIN application_categories c ON c.application_id = a.id JOIN categories k ON k.id = c.category_id
  JOIN participants p ON p.event_id = x.event_id AND p.contact_id = a.contact_id AND p.role = k.role
  AND p.status <> 'cancelled'
 WHERE a.email = :email AND a.status = 'approved' AND x.event_id = :event_id AND k.approval = 'automatic'
 ORDER BY a.id LIMIT 1;

-- name: automatic
-- The categories of an application with their approval, role and key.
SELECT k.id, k.category_key, k.approval, k.role FROM application_categories c JOIN categories k ON k.id = c.category_id
 WHERE c.application_id = :id;

-- name: drop_old
-- Confirmed drafts after two days, and others after a week.
DELETE FROM application_drafts WHERE id IN (
  SELECT id FROM application_drafts WHERE created_at < :week OR created_at < :two_days
    AND confirmed_at < :two_days LIMIT :size);

-- Erasing the data of a contact, `id`.

-- name: drop_of_contact
-- Drafts of applications with the address of the contact, and those that became one of its applications: they have a hash
-- of the address. Must run while the contact still has its address.
DELETE FROM application_drafts WHERE email = (SELECT c.email FROM contacts c WHERE c.id = :id)
    OR application_id IN (SELECT a.id FROM applications a WHERE a.contact_id = :id);
