"""Send mail: the job, the contents of each kind of mail, delivery and SMTP."""
