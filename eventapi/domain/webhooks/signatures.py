"""Signatures of webhooks: Standard Webhooks (standardwebhooks.com), and the two headers of the reference."""
import base64
import hmac
import secrets
from hashlib import sha256

PREFIX = "whsec_"


def new_secret():
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def headers(message_id, timestamp, body, keys):
    """The headers that prove a message. `keys`: the secrets that are valid, the newest first.

    webhook-signature has a signature for each. X-Webhook-Signature has room for one, so the newest secret makes it.
    """
    signed = f"{message_id}.{timestamp}."
    signatures = [_mac(base64.b64decode(key.removeprefix(PREFIX)), signed, body).digest() for key in keys]
    signatures = [f"v1,{base64.b64encode(signature).decode()}" for signature in signatures]
    return {"webhook-id": message_id, "webhook-timestamp": str(timestamp), "webhook-signature": " ".join(signatures),
            "X-Webhook-Timestamp": str(timestamp),
            "X-Webhook-Signature": f"v1={_mac(keys[0].encode(), f'{timestamp}.', body).hexdigest()}"}


def _mac(key, before, body):
    return hmac.new(key, before.encode() + body, sha256)
