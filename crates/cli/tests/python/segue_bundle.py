#!/usr/bin/env python3
"""Segue's bundles, read and written by a second program.

Made from docs/bundle.md, docs/format.md and the published description of age v1, not from Segue's code, so that the
page is known to be enough. Needs the package `cryptography` and nothing else.

    segue_bundle.py read FILE [--passphrase-env NAME] [--identity FILE]
    segue_bundle.py write OUT (--key PEM | --unsigned) [--name N] [--recipient age1… | --passphrase-env NAME] HANDOFF…
    segue_bundle.py peer-read FILE [--passphrase-env NAME]
    segue_bundle.py peer-write OUT RECORD.json [--key PEM] [--name N] [--passphrase-env NAME]

`read` and `peer-read` print JSON. What breaks a rule is refused with a reason and exit code 1.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from datetime import datetime, timezone

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import load_pem_private_key

LARGEST_BUNDLE, LARGEST_PAYLOAD, LONGEST_HEADER = 2**30, 16 * 2**20, 16383
MOST_HANDOFFS = 100_000
WORK_FACTOR_WRITTEN, WORK_FACTOR_READ = 17, 18

class Refused(Exception):
    """A rule that the file breaks."""

def need(holds, reason):
    if not holds:
        raise Refused(reason)

# Base64, digests and signatures

def sha256(data):
    return hashlib.sha256(data).hexdigest()

def to_base64(data, padded=True):
    text = base64.b64encode(data).decode("ascii")
    return text if padded else text.rstrip("=")

def from_base64(text, length, what, padded=True):
    """The standard alphabet, and only the one spelling that an encoder would write."""
    data = base64.b64decode(text if padded else text + "=" * (-len(text) % 4), validate=True)
    need(to_base64(data, padded) == text, f"{what} is not canonical base64")
    need(length is None or len(data) == length, f"{what} has {len(data)} bytes, not {length}")
    return data

def has_small_order(point):
    """Whether an encoded point of Edwards25519 has the order 1, 2, 4 or 8."""
    p = 2**255 - 19
    d = -121665 * pow(121666, -1, p) % p
    y = (int.from_bytes(point, "little") & (2**255 - 1)) % p
    # 1 and 2: y = ±1. 4: y = 0. 8: the double has y = 0, so x² = -y², put into the curve's equation.
    return y in (0, 1, p - 1) or (d * y**4 + 2 * y**2 - 1) % p == 0

def check_signature(key, signature, message):
    need(not has_small_order(key), "the key has a small order")
    need(not has_small_order(signature[:32]), "the signature begins with a point of small order")
    order = 2**252 + 27742317777372353535851937790883648493
    need(int.from_bytes(signature[32:], "little") < order, "the signature is not canonical")
    Ed25519PublicKey.from_public_bytes(key).verify(signature, message)

# What a bundle asks of a handoff (docs/format.md, sections 1 to 4)

KNOWN = """segue id created project name title summary tags tool session mode captured expires saved_from git changed
parent supersedes aliases imported""".split()
KNOWN_IN_2 = KNOWN + ["kind", "sources"]
WHITE = "\t\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
QUOTED = r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')"""
KEY_LINE = re.compile(rf"(?:{QUOTED}|([^\s\-?:,\[\]{{}}#&*!|>%@`\"'].*?))[ \t]*:(?:[ \t]+(.*)|)$")
TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
ESCAPED = dict(zip('0abtnvfreN_LP \t"/\\', '\0\a\b\t\n\v\f\r\x1b\x85\xa0\u2028\u2029 \t"/\\'))

def unquote(double, single):
    """The text that stood in double or in single quotes."""
    if double is None:
        return single.replace("''", "'")
    return ESCAPE.sub(lambda m: ESCAPED[m[4]] if m[4] else chr(int(m[1] or m[2] or m[3], 16)), double)

def head_of(text):
    """The entries of the head: key, what follows the colon, and whether further lines continue it."""
    first, *lines = text.removeprefix("\ufeff").split("\n")
    need(first.rstrip(WHITE) == "---", "it does not begin with ---")
    entries = []
    for line in lines:
        line = line.rstrip(WHITE)
        if line == "---":
            return entries
        if not line or line.startswith("#"):
            continue
        if line == "-" or line.startswith((" ", "\t", "- ", "]", "}")):
            need(entries, "its head begins with a line that continues nothing")
            entries[-1][2] = True
            continue
        match = KEY_LINE.match(line)
        need(match and " #" not in (match[3] or ""), f"a line of its head is not 'key: value': {line}")
        entries.append([match[3] or unquote(match[1], match[2]), match[4] or "", False])
    raise Refused("its head has no end")

def required(entries, key):
    """The text of a key that must be there, on one line."""
    found = [(value.strip(WHITE), goes_on) for name, value, goes_on in entries if name == key]
    need(found, f"it has no '{key}'")
    value, goes_on = found[0]
    need(not goes_on, f"its '{key}' goes over several lines")
    quoted = re.fullmatch(QUOTED + r"\s*(?:#.*)?", value)
    text = unquote(*quoted.groups()) if quoted else re.split(r"(?:^|[ \t])#", value)[0].strip(WHITE)
    need(quoted or text not in ("", "~", "null", "Null", "NULL"), f"it has no '{key}'")
    return text

def moment(text, what):
    """A time in UTC, from RFC 3339 with any offset; what is finer than a second is dropped."""
    match = TIME.fullmatch(text.upper())
    need(match, f"{what} is not RFC 3339: {text}")
    time = datetime.fromisoformat(match[1] + match[3].replace("Z", "+00:00")).astimezone(timezone.utc)
    need("1970-01-01T00:00:00" <= time.isoformat()[:19] <= "9999-12-30T21:59:59", f"{what} is out of range: {text}")
    return time

def check_handoff(payload):
    """Every rule for a payload; gives its id and its text."""
    need(len(payload) <= LARGEST_PAYLOAD, "it is larger than 16 MiB")
    text = payload.decode("utf-8")
    entries = head_of(text)
    keys = [key for key, _, _ in entries]
    version = required(entries, "segue").lstrip("0")
    need(version in ("1", "2"), "it is not of version 1 or 2 of the format")
    twice = [key for key in (KNOWN if version == "1" else KNOWN_IN_2) if keys.count(key) > 1]
    need(not twice, f"{twice} is there twice")
    need("imported" not in keys, "it has the key 'imported'")
    ident = required(entries, "id")
    need(re.fullmatch(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}", ident), f"its id is none of a handoff: {ident}")
    begins = moment(required(entries, "created"), "its 'created'").strftime("%Y%m%d-%H%M%S-")
    need(ident.startswith(begins), f"its id {ident} does not begin with its 'created'")
    return ident, text

# The bundle

def once(pairs):
    need(len(dict(pairs)) == len(pairs), "a key stands in the header twice")
    return dict(pairs)

def check_header(line):
    """The header's object and the signer's key, if there is one."""
    need(len(line) <= LONGEST_HEADER, "the header is too long")
    header = json.loads(line.decode("utf-8"), object_pairs_hook=once)
    need(isinstance(header, dict), "the header is not an object")
    need(header.get("purpose") == "handoffs", "the purpose is not 'handoffs'")
    signed = header.get("algorithm") == "ed25519"
    need(signed or header.get("algorithm") == "none", "the algorithm is neither 'ed25519' nor 'none'")
    keys = {"purpose", "created", "count", "algorithm"} | ({"signer"} if signed else set())
    need(set(header) == keys, "the header has not exactly the keys that it must have")
    need(type(header["count"]) is int and 1 <= header["count"] <= MOST_HANDOFFS, "the count is not 1 to 100,000")
    need(isinstance(header["created"], str), "'created' is not a text")
    moment(header["created"], "the bundle's 'created'")
    if not signed:
        return header, None
    signer = header["signer"]
    need(isinstance(signer, dict) and {"key"} <= set(signer) <= {"key", "name"}, "'signer' has other keys")
    need(all(isinstance(value, str) for value in signer.values()), "the signer's key or name is not a text")
    need(len(signer.get("name", "")) <= 200, "the signer's name has more than 200 characters")
    signer.get("name", "").encode("utf-8")  # half a surrogate pair is no text
    return header, from_base64(signer["key"], 32, "the signer's key")

def statement(header_line, digests):
    lines = [b"segue-bundle 1 statement", header_line, *(digest.encode("ascii") for digest in digests)]
    return b"".join(line + b"\n" for line in lines)

def read_bundle(data):
    need(len(data) <= LARGEST_BUNDLE, "it is larger than 1 GiB")
    at = 0

    def line(word, what):
        """The rest of the next line, which begins with this word."""
        nonlocal at
        end = data.find(b"\n", at)
        need(end >= 0, f"it ends before {what}")
        found, at = data[at:end], end + 1
        need(found.startswith(word), f"there is something else instead of {what}")
        return found[len(word) :]

    need(line(b"", "the first line") == b"segue-bundle 1", "it is no bundle of version 1")
    header_line = line(b"", "the header")
    header, key = check_header(header_line)
    handoffs = {}
    for number in range(1, header["count"] + 1):
        length = line(b"handoff ", f"handoff {number}")
        need(re.fullmatch(rb"0|[1-9][0-9]{0,8}", length), f"the length of handoff {number} is no number")
        payload, at = data[at : at + int(length)], at + int(length) + 1
        need(data[at - 1 : at] == b"\n", f"handoff {number} does not end where its length says")
        ident, text = check_handoff(payload)
        need(ident not in handoffs, f"the id {ident} is in it twice")
        handoffs[ident] = {"id": ident, "sha256": sha256(payload), "text": text}
    handoffs = list(handoffs.values())
    said = statement(header_line, [handoff["sha256"] for handoff in handoffs])
    need(line(b"digest ", "the digest").decode("ascii") == sha256(said), "the digest is not that of the statement")
    if key is not None:
        signature = line(b"signature ", "the signature").decode("ascii")
        check_signature(key, from_base64(signature, 64, "the signature"), said)
    need(at == len(data), "something follows the last line")
    found = {"version": 1, "header": header, "signed": key is not None, "handoffs": handoffs}
    return found | {"fingerprint": None if key is None else sha256(key)}

def write_bundle(payloads, key, name):
    for payload in payloads:
        check_handoff(payload)
    header = {"purpose": "handoffs", "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
    header |= {"count": len(payloads), "algorithm": "none" if key is None else "ed25519"}
    if key is not None:
        header["signer"] = {"key": to_base64(key.public_key().public_bytes_raw())} | ({"name": name} if name else {})
    header_line = json.dumps(header, ensure_ascii=False).encode("utf-8")
    said = statement(header_line, [sha256(payload) for payload in payloads])
    parts = [b"segue-bundle 1\n", header_line, b"\n"]
    for payload in payloads:
        parts += [b"handoff %d\n" % len(payload), payload, b"\n"]
    parts.append(f"digest {sha256(said)}\n".encode("ascii"))
    if key is not None:
        parts.append(f"signature {to_base64(key.sign(said))}\n".encode("ascii"))
    return b"".join(parts)

# age v1

AGE = b"age-encryption.org/v1"
BEGIN, END = b"-----BEGIN AGE ENCRYPTED FILE-----", b"-----END AGE ENCRYPTED FILE-----"
STANZA = rb"-> [!-~]+(?: [!-~]+)*\n(?:[A-Za-z0-9+/]{64}\n)*[A-Za-z0-9+/]{0,63}\n"
AGE_HEADER = re.compile(re.escape(AGE) + rb"\n((?:" + STANZA + rb")+)--- ([A-Za-z0-9+/]{43})\n")
CHUNK = 64 * 1024

def hkdf(secret, salt, info):
    return HKDF(hashes.SHA256(), 32, salt, info).derive(secret)

def wrap_by_passphrase(passphrase, salt, factor):
    return ChaCha20Poly1305(Scrypt(AGE + b"/scrypt" + salt, 32, 2**factor, 8, 1).derive(passphrase))

def wrap_by_key(private, public, share, recipient):
    shared = private.exchange(X25519PublicKey.from_public_bytes(public))
    return ChaCha20Poly1305(hkdf(shared, share + recipient, AGE + b"/X25519"))

def bech32(text, prefix):
    """The 32 bytes behind a prefix."""
    alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    start, _, rest = text.lower().rpartition("1")
    right = text in (text.lower(), text.upper()) and start == prefix and len(rest) == 58
    need(right and all(c in alphabet for c in rest), f"it is no {prefix}1…")
    values = [alphabet.index(c) for c in rest]
    check = 1
    for value in [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + values:
        top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ value
        for bit, number in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= number if top >> bit & 1 else 0
    bits = "".join(f"{value:05b}" for value in values[:-6])
    need(check == 1 and set(bits[256:]) == {"0"}, f"the checksum of {prefix}1… is wrong")
    return int(bits[:256], 2).to_bytes(32, "big")

def dearmor(data):
    _, *body, end = data.replace(b"\r\n", b"\n").rstrip().split(b"\n")
    need(end == END and body, "the armor has no end")
    need(all(len(line) == 64 for line in body[:-1]) and 0 < len(body[-1]) <= 64, "the armor's lines are not 64 long")
    return from_base64(b"".join(body).decode("ascii"), None, "the armor")

def file_key_of(stanzas, passphrase, identity):
    for words, body in stanzas:
        if words[0] == "scrypt":
            need(len(stanzas) == 1 and len(words) == 3 and len(body) == 32, "the scrypt stanza is not as it must be")
            need(re.fullmatch(r"[1-9][0-9]?", words[2]), "the work factor is no number")
            need(int(words[2]) <= WORK_FACTOR_READ, "the work factor is too high")
            need(passphrase, "it needs a passphrase")
            salt = from_base64(words[1], 16, "the salt", padded=False)
            return wrap_by_passphrase(passphrase, salt, int(words[2])).decrypt(bytes(12), body, None)
        if words[0] == "X25519" and identity:
            need(len(words) == 2 and len(body) == 32, "an X25519 stanza is not as it must be")
            share = from_base64(words[1], 32, "the share", padded=False)
            private = X25519PrivateKey.from_private_bytes(identity)
            try:
                own = private.public_key().public_bytes_raw()
                return wrap_by_key(private, share, share, own).decrypt(bytes(12), body, None)
            except InvalidTag:
                pass  # It is for somebody else.
    raise Refused("it is not encrypted for this passphrase or identity")

def stream(key, data, size, method):
    """Encrypts or decrypts piece by piece; a piece can be neither moved nor left away."""
    cipher = getattr(ChaCha20Poly1305(key), method)
    starts = range(0, max(len(data), 1), size)
    nonces = [number.to_bytes(11, "big") + bytes([at == starts[-1]]) for number, at in enumerate(starts)]
    return [cipher(nonce, data[at : at + size], None) for nonce, at in zip(nonces, starts)]

def age_open(data, passphrase, identity):
    header = AGE_HEADER.match(data)
    need(header, "the header of the age file cannot be read")
    stanzas = []
    for stanza in re.split(r"(?m)^-> ", header[1].decode("ascii"))[1:]:
        words, _, body = stanza.partition("\n")
        stanzas.append((words.split(" "), from_base64(body.replace("\n", ""), None, "a stanza", padded=False)))
    file_key = file_key_of(stanzas, passphrase, identity)
    mac = hmac.digest(hkdf(file_key, b"", b"header"), data[: header.start(2) - 1], "sha256")
    need(hmac.compare_digest(mac, from_base64(header[2].decode("ascii"), 32, "the MAC", padded=False)), "wrong MAC")
    nonce, sealed = data[header.end() :][:16], data[header.end() + 16 :]
    pieces = stream(hkdf(file_key, nonce, b"payload"), sealed, CHUNK + 16, "decrypt")
    need(pieces[-1] or len(pieces) == 1, "the last piece is empty")
    return b"".join(pieces)

def age_seal(data, passphrase, recipient):
    file_key, nonce, salt = os.urandom(16), os.urandom(16), os.urandom(16)
    if recipient is None:
        words = f"scrypt {to_base64(salt, False)} {WORK_FACTOR_WRITTEN}"
        cipher = wrap_by_passphrase(passphrase, salt, WORK_FACTOR_WRITTEN)
    else:
        private = X25519PrivateKey.generate()
        share = private.public_key().public_bytes_raw()
        words, cipher = f"X25519 {to_base64(share, False)}", wrap_by_key(private, recipient, share, recipient)
    body = to_base64(cipher.encrypt(bytes(12), file_key, None), False)
    header = AGE + f"\n-> {words}\n{body}\n---".encode("ascii")
    mac = to_base64(hmac.digest(hkdf(file_key, b"", b"header"), header, "sha256"), False)
    pieces = stream(hkdf(file_key, nonce, b"payload"), data, CHUNK, "encrypt")
    return b"".join([header, f" {mac}\n".encode("ascii"), nonce, *pieces])

# session-handoff's bundles

RECORD = ("id", "created_at", "tool", "project", "title", "summary", "next", "changed")
CIPHER = {"version": 1, "algorithm": "aes-256-gcm", "kdf": "scrypt(N=32768,r=8,p=1)"}

def go_json(value, indent=None):
    """JSON as Go's encoder writes it."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=(",", ": " if indent else ":"))
    text = re.sub("[\ud800-\udfff]", "\ufffd", text)
    return re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")

def canonical(record):
    """The record with its keys in their order, and its checksum."""
    record = {key: record.get(key) for key in RECORD if key != "changed" or record.get("changed")}
    return record, sha256(go_json(record))

def peer_cipher(passphrase, salt):
    return AESGCM(Scrypt(salt, 32, 32768, 8, 1).derive(passphrase))

def peer_read(data, passphrase):
    bundle = json.loads(data)
    encrypted = "ciphertext" in bundle
    if encrypted:
        need(passphrase, "it needs a passphrase")
        need(CIPHER.items() <= bundle.items(), "it is encrypted in another way")
        salt, nonce = from_base64(bundle["salt"], 16, "the salt"), from_base64(bundle["nonce"], 12, "the nonce")
        data = peer_cipher(passphrase, salt).decrypt(nonce, from_base64(bundle["ciphertext"], None, "the text"), None)
        bundle = json.loads(data)
    need(bundle["version"] in (2, 3), "neither version 2 nor 3")
    record, checksum = canonical(bundle["record"])
    need(record == bundle["record"], "the record has other keys")
    need(bundle["checksum"] == checksum, "the checksum is not that of the record")
    signer = bundle.get("signer")
    signed = signer is not None
    need((bundle["version"] == 3) == signed == ("signature" in bundle), "version and signature do not fit")
    if signed:
        key = from_base64(signer["public_key"], 32, "the key")
        need(signer["key_id"] == sha256(key)[:16], "the key's id is not that of the key")
        check_signature(key, from_base64(bundle["signature"], 64, "the signature"), checksum.encode("ascii"))
    need(go_json(bundle, 2) + (b"" if encrypted else b"\n") == data, "it is not written as the peer writes it")
    return {"version": bundle["version"], "encrypted": encrypted, "signer": signer, "record": record}

def peer_write(record, key, name, passphrase):
    record, checksum = canonical(record)
    bundle = {"version": 2 if key is None else 3, "checksum": checksum, "record": record}
    if key is not None:
        public = key.public_key().public_bytes_raw()
        bundle["signer"] = {"name": name} if name else {}
        bundle["signer"] |= {"key_id": sha256(public)[:16], "public_key": to_base64(public)}
        bundle["signature"] = to_base64(key.sign(checksum.encode("ascii")))
    if passphrase is not None:
        salt, nonce = os.urandom(16), os.urandom(12)
        sealed = peer_cipher(passphrase, salt).encrypt(nonce, go_json(bundle, 2), None)
        bundle = CIPHER | {"salt": to_base64(salt), "nonce": to_base64(nonce), "ciphertext": to_base64(sealed)}
    return go_json(bundle, 2) + b"\n"

# The commands

def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()

def run(args):
    passphrase = os.environb[args.passphrase_env.encode()] if args.passphrase_env else None
    key = load_pem_private_key(bytes_of(args.key), None) if args.key else None
    need(key is None or isinstance(key, Ed25519PrivateKey), "the key is not an Ed25519 key")
    if args.command == "read":
        data = bytes_of(args.file)
        data = dearmor(data) if data.startswith(BEGIN) else data
        if data.startswith(AGE):
            words = re.findall(rb"(?m)^AGE-SECRET-KEY-1\w+", bytes_of(args.identity)) if args.identity else []
            identity = bech32(words[0].decode("ascii"), "age-secret-key-") if words else None
            data = age_open(data, passphrase, identity)
        return read_bundle(data)
    if args.command == "peer-read":
        return peer_read(bytes_of(args.file), passphrase)
    if args.command == "peer-write":
        (record,) = args.files
        out = peer_write(json.loads(bytes_of(record)), key, args.name, passphrase)
    else:
        need((key is None) == args.unsigned, "either --key or --unsigned")
        out = write_bundle([bytes_of(path) for path in args.files], key, args.name)
        if args.recipient or passphrase is not None:
            out = age_seal(out, passphrase, bech32(args.recipient, "age") if args.recipient else None)
    with open(args.file, "wb") as file:
        file.write(out)
    return None

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("read", "write", "peer-read", "peer-write"))
    parser.add_argument("file")
    parser.add_argument("files", nargs="*")
    for option in ("--passphrase-env", "--identity", "--key", "--name", "--recipient"):
        parser.add_argument(option)
    parser.add_argument("--unsigned", action="store_true")
    try:
        result = run(parser.parse_intermixed_args())
    except (Refused, OSError) as reason:
        sys.exit(f"refused: {reason}")
    except (InvalidSignature, InvalidTag):
        sys.exit("refused: it was altered, or the key or passphrase is another one")
    except (ValueError, KeyError, TypeError) as reason:
        sys.exit(f"refused: it cannot be read: {reason!r}")
    if result is not None:
        print(json.dumps(result))

if __name__ == "__main__":
    main()
