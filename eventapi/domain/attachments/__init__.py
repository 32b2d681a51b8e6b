"""What is attached to records: notes, tasks, documents, contracts and images."""
