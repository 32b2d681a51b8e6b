-- Languages of invoices, documents and newsletter subscribers: tags (BCP 47). NULL means that of the contact, else the
-- option `language`.

-- A sent invoice keeps the language of its PDF. Until now, that was German or else English, by the buyer's language.
ALTER TABLE invoices ADD COLUMN language TEXT;
UPDATE invoices
   SET language = CASE WHEN lower(json_extract(buyer, '$.language')) = 'de' THEN 'de'
                       WHEN lower(json_extract(buyer, '$.language')) LIKE 'de-%' THEN 'de'
                       ELSE 'en' END
 WHERE locked_at IS NOT NULL;
UPDATE invoices SET pdf_source = json_set(pdf_source, '$.language', language) WHERE pdf_source IS NOT NULL;

-- The language in which a page was written.
ALTER TABLE documents ADD COLUMN language TEXT;

ALTER TABLE newsletter_subscribers ADD COLUMN language TEXT;
