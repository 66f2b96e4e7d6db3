"""Makes generated requests valid beyond JSON Schema: the extensions of the document, and values
that only the service can create.

Changes only requests that the schemas accept, so that requests that are invalid on purpose stay
invalid.
"""

import base64
import hashlib
import json
import os
import pathlib
import re
import uuid
from urllib.parse import quote

import schemathesis
from schemathesis import GenerationMode

MOST_BYTES = 900
MOST_ENCODED = 1400
MOST_JSON_BYTES = 4096
MOST_TOKEN_JSON_BYTES = 1024
MOST_PARTS = 10_000

DOCUMENT = pathlib.Path(__file__).parents[2] / "dashboard/public/openapi.json"
HEADER_PATTERNS = {
    parameter["name"]: parameter["schema"].get("pattern")
    for parameter in json.loads(DOCUMENT.read_text())["components"]["parameters"].values()
    if parameter["in"] == "header"
}


@schemathesis.hook
def filter_case(context, case):
    """Leaves out unknown query parameters, which the service ignores."""
    return "x-schemathesis-unknown-property" not in (case.query or {})


@schemathesis.hook
def before_call(context, case, kwargs):
    store_as_bytes(case)
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    drop_contradiction(case)
    body = case.body if isinstance(case.body, dict) else {}
    fix_path(case.path_parameters or {})
    fix_query(case.query or {})
    fix_headers(case, body)
    fix_body(body, MOST_TOKEN_JSON_BYTES if operation_id(case) == "createToken" else MOST_JSON_BYTES)


def operation_id(case):
    return case.operation.definition.raw.get("operationId")


def store_as_bytes(case):
    """Sets a content type that Schemathesis does not parse: a range of stored JSON is not JSON."""
    if operation_id(case) == "putObject":
        case.headers["Content-Type"] = "application/octet-stream"


def drop_contradiction(case):
    """Removes headers that contradict the schema.

    Schemathesis 4.32 marks some requests as valid that have `0` in a header with a pattern, or an
    invalid Authorization.
    """
    if getattr(case.meta.phase.data, "parameter", None) == "Authorization":
        token = os.environ["ACCESS_TOKEN" if case.path.startswith("/admin/") else "STOWAGE_KEY"]
        case.headers["Authorization"] = f"Bearer {token}"
        # The check `ignored_auth` expects a generated Authorization to be invalid; this is valid.
        case._has_explicit_auth = True
    for name, value in list((case.headers or {}).items()):
        pattern = HEADER_PATTERNS.get(name)
        if pattern is not None and not re.search(pattern, str(value)):
            del case.headers[name]


def shortened(text):
    """x-max-bytes and x-max-encoded-length."""
    while len(text.encode()) > MOST_BYTES or len(quote(text)) > MOST_ENCODED:
        text = text[: len(text) // 2]
    return text


def compact_size(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def fix_path(path):
    if isinstance(path.get("key"), str):
        path["key"] = shortened(path["key"])


def fix_query(query):
    # A page token is valid only for the list that returned it, and for a limited time.
    query.pop("page_token", None)
    # A cursor ahead of the bucket is refused.
    if "cursor" in query:
        query["cursor"] = 0
    # The same for an earlier state, which excludes a version.
    if "as_of" in query:
        query["as_of"] = 0
        query.pop("version", None)
    # The versions have no state of their own.
    if query.get("view") == "versions":
        query.pop("version", None)
        query.pop("as_of", None)
    # A long wait would take a tenth of the time limit, and exceed the client's timeout.
    if isinstance(query.get("wait"), int):
        query["wait"] = min(query["wait"], 2)
    for name in ("prefix", "delimiter", "start_after"):
        if isinstance(query.get(name), str):
            query[name] = shortened(query[name])


def fix_headers(case, body):
    headers = case.headers or {}
    # A different request with the same key is refused. A ticket accepts no key, and the response
    # with thousands of parts is too large to save.
    if "Idempotency-Key" in headers:
        if body.get("method") == "SYNC" or "multipart" in body:
            del headers["Idempotency-Key"]
        else:
            headers["Idempotency-Key"] = uuid.uuid4().hex
    if "Content-Digest" in headers:
        if isinstance(case.body, bytes):
            digest = base64.b64encode(hashlib.sha256(case.body).digest()).decode()
            headers["Content-Digest"] = f"sha-256=:{digest}:"
        else:
            del headers["Content-Digest"]
    # x-future
    if "x-object-expires-at" in headers:
        headers["x-object-expires-at"] = "2999" + headers["x-object-expires-at"][4:]
    if "Content-MD5" in headers:
        if isinstance(case.body, bytes):
            headers["Content-MD5"] = base64.b64encode(hashlib.md5(case.body).digest()).decode()
        else:
            del headers["Content-MD5"]


def fix_body(body, most_json_bytes):
    # As in a query.
    body.pop("page_token", None)
    for name in ("as_of", "cursor"):
        if name in body:
            body[name] = 0
    # x-max-changes. Etags are longer in the document than the service reads them.
    if body.get("changes"):
        body["changes"] = body["changes"][:1]
        for change in body["changes"]:
            change.pop("if_match", None)
            change["key"] = shortened(change["key"])
            source = change.get("from")
            if source:
                source["key"] = shortened(source["key"])
                if source["key"] == change["key"]:
                    change["key"] = source["key"][:100] + "-moved"
    for name in ("key", "prefix"):
        if isinstance(body.get(name), str):
            body[name] = shortened(body[name])
    # x-future
    for place in (body, *body.get("changes", [])):
        for name in ("expires_at", "object_expires_at"):
            if isinstance(place.get(name), str):
                place[name] = "2999" + place[name][4:]
    # x-tier
    if "tier" in body:
        body["tier"] = "default"
    # x-max-parts
    multipart = body.get("multipart")
    if multipart and "part_size" in multipart:
        multipart["size"] = min(multipart["size"], multipart["part_size"] * MOST_PARTS)
    # x-max-json-bytes
    if "permissions" in body:
        permissions = body["permissions"]
        for permission in permissions:
            if "prefix" in permission:
                permission["prefix"] = shortened(permission["prefix"])
        while compact_size(permissions) > most_json_bytes:
            if len(permissions) > 1:
                permissions.pop()
            else:
                permissions[0] = {"buckets": ["*"], "actions": ["read"]}
