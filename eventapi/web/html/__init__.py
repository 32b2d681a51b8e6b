"""Pages for people: templates, texts, headers and the cache."""
