import hashlib, hmac, os, time

SECRET = os.environ["ARPENT_WEBHOOK_SECRET"].encode()

def is_genuine(signature, body):
    """signature: the header Arpent-Signature; body: the bytes as they came."""
    parts = dict(part.split("=", 1) for part in signature.split(","))
    signed = parts["t"].encode() + b"." + body
    expected = hmac.new(SECRET, signed, hashlib.sha256).hexdigest()
    recent = abs(time.time() - int(parts["t"])) < 300
    return recent and hmac.compare_digest(expected, parts["v1"])
