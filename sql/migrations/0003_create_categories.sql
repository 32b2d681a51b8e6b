-- Categories: a tree that contacts, applications and participants carry.

CREATE TABLE categories (
  id                      INTEGER PRIMARY KEY AUTOINCREMENT,
  category_key            TEXT NOT NULL UNIQUE,
  title                   TEXT NOT NULL COLLATE NOCASE,
  content                 TEXT,
  parent_category_id      INTEGER REFERENCES categories (id),
  is_visible              INTEGER NOT NULL CHECK (is_visible IN (0, 1)),
  applicant_visibility    TEXT NOT NULL CHECK (applicant_visibility IN ('selectable', 'container', 'admin_only')),
  account_access_enabled  INTEGER NOT NULL CHECK (account_access_enabled IN (0, 1)),
  sort_order              INTEGER NOT NULL,
  color                   TEXT,
  base_price              INTEGER,        -- minor units of the tenant's currency
  tax_rate                INTEGER,        -- hundredths of a percent
  created_at              TEXT NOT NULL,
  updated_at              TEXT NOT NULL
) STRICT;
CREATE INDEX categories_by_parent ON categories (parent_category_id);
CREATE INDEX categories_by_title ON categories (title);
CREATE INDEX categories_by_order ON categories (sort_order);
CREATE INDEX categories_by_update ON categories (updated_at);

CREATE TABLE category_events (
  category_id  INTEGER NOT NULL REFERENCES categories (id) ON DELETE CASCADE,
  event_id     INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  PRIMARY KEY (category_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX category_events_by_event ON category_events (event_id);
