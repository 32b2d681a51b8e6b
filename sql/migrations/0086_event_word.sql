-- What an event calls itself in texts for exhibitors and visitors: a fair, a market, a festival, or just an event.
ALTER TABLE events ADD COLUMN event_word TEXT NOT NULL DEFAULT 'fair'
  CHECK (event_word IN ('fair', 'market', 'festival', 'event'));
