"""Signing keys, key sets, and tokens written by hand, because a library refuses to write an invalid one."""

import base64
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.request import urlopen

import jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

Claims = dict[str, Any]


class SigningKey:
    def __init__(self) -> None:
        self.kid = self.random_id()
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    @staticmethod
    def random_id() -> str:
        return secrets.token_hex(8)

    @property
    def public_pem(self) -> bytes:
        encoding, layout = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        return self.private.public_key().public_bytes(encoding, layout)

    @property
    def jwk(self) -> dict[str, str]:
        numbers = self.private.public_key().public_numbers()
        modulus, exponent = (_base64(n.to_bytes((n.bit_length() + 7) // 8)) for n in (numbers.n, numbers.e))
        return {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": self.kid, "n": modulus, "e": exponent}

    def sign(self, claims: Claims, algorithm: str = "RS256", headers: Mapping[str, str | None] | None = None) -> str:
        """Return a JWT. A header of None is left out. HS256 uses the public key as its secret."""
        header = {"typ": "JWT", "alg": algorithm, "kid": self.kid, **(headers or {})}
        parts = [{name: value for name, value in header.items() if value is not None}, claims]
        signed = ".".join(_base64(json.dumps(part).encode()) for part in parts)
        return f"{signed}.{_base64(self._signature(signed.encode(), algorithm))}"

    def _signature(self, content: bytes, algorithm: str) -> bytes:
        if algorithm == "none":
            return b""
        if algorithm == "HS256":
            return hmac.digest(self.public_pem, content, "sha256")
        return self.private.sign(content, padding.PKCS1v15(), hashes.SHA256())


class InvalidToken(Exception):
    """A JWT of a tool was refused; the message says why."""


def verified(token: str, key_set_url: str, issuer: str, audiences: list[str], required: list[str]) -> Claims:
    """Return the claims of a JWT that a tool signed with a key of its key set, which is fetched now."""
    try:
        kid = jwt.get_unverified_header(token).get("kid")
        with urlopen(key_set_url, timeout=30) as answer:
            keys = {key.get("kid"): key for key in json.load(answer)["keys"]}
        if kid not in keys:
            raise InvalidToken(f"no key {kid} in {key_set_url}")
        claims: Claims = jwt.decode(
            token, jwt.PyJWK(keys[kid], "RS256"), ["RS256"], issuer=issuer, audience=audiences, options={"require": required}
        )
    except (jwt.PyJWTError, OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidToken(f"{type(error).__name__}: {error}") from error
    return claims


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
