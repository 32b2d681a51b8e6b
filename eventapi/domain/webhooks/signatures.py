"""Signatures of webhooks: those of Standard Webhooks (standardwebhooks.com), and two headers of the contract."""
import base64
import hmac
import secrets
from hashlib import sha256

PREFIX = "whsec_"


def new_secret():
    """Return a new random secret in the format of Standard Webhooks."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def headers(message_id, timestamp, body, keys):
    """Return the headers that authenticate a message. `keys` are the valid secrets, the newest first.

    `timestamp` is in Unix seconds, `body` is bytes. webhook-signature contains one signature per secret.
    X-Webhook-Signature can contain one only, which is made with the newest secret.
    """
    signed = f"{message_id}.{timestamp}."
    signatures = [_mac(base64.b64decode(key.removeprefix(PREFIX)), signed, body).digest() for key in keys]
    signatures = [f"v1,{base64.b64encode(signature).decode()}" for signature in signatures]
    return {"webhook-id": message_id, "webhook-timestamp": str(timestamp), "webhook-signature": " ".join(signatures),
            "X-Webhook-Timestamp": str(timestamp),
            "X-Webhook-Signature": f"v1={_mac(keys[0].encode(), f'{timestamp}.', body).hexdigest()}"}


def _mac(key, before, body):
    return hmac.new(key, before.encode() + body, sha256)
