"""Bank statements: files of banks become entries, and entries become payments."""
