"""Send mail: the job, the message, delivery and SMTP."""
