"""The key pairs with which Gradus signs: made on first use, rotated by an operator, published as a key set."""

import base64
import hashlib
import json
import secrets
from datetime import timedelta
from typing import Any

import jwt
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from autograder.lti.models import SigningKey

ALGORITHM = "RS256"
BITS = 2048
PUBLISHED_AFTER_RETIREMENT = timedelta(days=7)  # platforms keep a key set for hours, some for a day


def sign(claims: dict[str, Any]) -> str:
    """Return a JWT with these claims, signed with the current key."""
    kid, private = _current()
    return jwt.encode(claims, private, ALGORITHM, headers={"kid": kid})


def key_set() -> dict[str, Any]:
    """Return the public keys, including those retired a short time ago."""
    _current()
    recent = Q(retired_at=None) | Q(retired_at__gt=timezone.now() - PUBLISHED_AFTER_RETIREMENT)
    return {"keys": [key.public for key in SigningKey.objects.filter(recent).order_by("-id")]}


def keys_rotate() -> SigningKey:
    """Retire all keys and make a new one. Platforms accept signatures of the old ones while they are published."""
    with transaction.atomic():
        SigningKey.objects.filter(retired_at=None).update(retired_at=timezone.now())
        return _make()


def _current() -> tuple[str, str]:
    """Return the ID and the private key that sign. A key that cannot be decrypted belongs to an earlier secret key of the site."""
    for key in SigningKey.objects.filter(retired_at=None).order_by("-id"):
        private = _decrypted(key)
        if private:
            return key.kid, private
    made = _make()
    return made.kid, _decrypted(made)


def _make() -> SigningKey:
    private = rsa.generate_private_key(public_exponent=65537, key_size=BITS)
    kid = secrets.token_urlsafe(12)
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private.public_key()))
    public = {name: public[name] for name in ("kty", "n", "e")} | {"kid": kid, "alg": ALGORITHM, "use": "sig"}
    text = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return SigningKey.objects.create(kid=kid, public=public, private=_cipher().encrypt(text).decode())


def _decrypted(key: SigningKey) -> str:
    try:
        return _cipher().decrypt(key.private.encode()).decode()
    except InvalidToken:
        return ""


def _cipher() -> Fernet:
    digest = hashlib.sha256(b"gradus.lti.keys:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
