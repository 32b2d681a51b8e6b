"""Reports: figures about money and about the events, and their charts."""
