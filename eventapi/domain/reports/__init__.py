"""Reports: figures about money and about the show, and their charts."""
