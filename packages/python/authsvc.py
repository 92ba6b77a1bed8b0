"""Sign in the users of a Python web application with authsvc. One file, no dependencies, Python 3.9 or newer.

    authsvc = Authsvc.from_environment()            # the HTTP API, and verify()
    web = WebSignIn(authsvc, "http://localhost:3000/callback")   # sign-in, cookies, refresh, sign-out
    api = ProtectedResource(authsvc, "https://api.example.com/v1", ["orders:read"])   # an API or MCP server

Flask and FastAPI applications are in `examples/`. Instances may be shared between threads.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import hmac
import ipaddress
import json
import math
import os
import re
import secrets
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Collection, Mapping, NamedTuple, Optional

__version__ = "1.0.0"
__all__ = ["Access", "Authsvc", "AuthsvcError", "ConfigurationError", "ProtectedResource", "ProvenCall", "Reply",
           "WebSignIn", "verify_proof", "verify_webhook"]

_MAX_ANSWER = 1024 * 1024
_MAX_REMEMBERED = 10_000
#: Used DPoP proofs to remember: in all, and of one key, so that its holder cannot use up what the others need.
_MAX_PROOFS = 200_000
_MAX_PROOFS_OF_KEY = 10_000
#: Longer than any token of the service.
_MAX_TOKEN = 16_384
#: Reading the feed stops after this many seconds without a call of `verify`.
_IDLE_SECONDS = 60
#: Values of `acr`, from weak to strong: one factor, two, a passkey.
_LEVELS = ("urn:authsvc:acr:1", "urn:authsvc:acr:2", "phr")
#: The least max_age: people who come back from the sign-in must still be recent.
_LEAST_AGE = 60
#: Any organization will do.
_ANY: Any = object()
#: Of every response that sets a cookie: nobody may get another's from a cache.
_UNCACHED = ("Cache-Control", "private, no-store")


class ConfigurationError(ValueError):
    """A setting is missing or wrong. The message names the variable and what to do."""


class AuthsvcError(Exception):
    """The service rejected a call, or could not be reached (then `status` is 0 and `code` is `UNREACHABLE`).

    `code`: an error code of the HTTP API, such as `INVALID_TOKEN`. `retry_after`: seconds, or None. `request_id`: as in
    the log.
    """

    def __init__(self, status: int, code: str, message: str, *, details: str = "", request_id: Optional[str] = None,
                 retry_after: Optional[float] = None) -> None:
        super().__init__(f"{message} {details}".strip() + (f" (request {request_id})" if request_id else ""))
        self.status = status
        self.code = code
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _checked_issuer(issuer: str, name: str) -> str:
    url = urllib.parse.urlsplit(issuer)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ConfigurationError(f"{name}: must be the URL of authsvc, such as https://auth.example.com")
    if url.scheme == "http" and not _is_loopback(url.hostname):
        raise ConfigurationError(f"{name}: must begin with https://; http is for this machine only")
    return issuer.rstrip("/")


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "127.0.0.1", "::1") or host.endswith(".localhost")


class Authsvc:
    """The calls of one application. `staleness`: how long `verify` trusts known tokens without the feed (at least 3 s).
    `allowed_clients`: IDs of OpenID Connect clients whose tokens `verify` accepts. Default: none."""

    def __init__(self, issuer: str, app_id: str, api_key: str, *, timeout: float = 10, staleness: float = 5,
                 allowed_clients: Collection[str] = ()) -> None:
        self.issuer = _checked_issuer(issuer, "AUTHSVC_ISSUER")
        if not re.fullmatch(r"app_[\w-]+", app_id):
            raise ConfigurationError("AUTHSVC_APP_ID: must be an App ID (app_…); list them: authsvc app list")
        if not api_key:
            raise ConfigurationError(f"AUTHSVC_API_KEY: required; create one: authsvc key create --app {app_id}")
        # `in` would find parts of a single text.
        if isinstance(allowed_clients, str) or not all(isinstance(one, str) and one for one in allowed_clients):
            raise ConfigurationError(f"allowed_clients: must be a list of ids: authsvc client list --app {app_id}")
        self.app_id = app_id
        self.allowed_clients = frozenset(allowed_clients)
        self._api_key = api_key
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._verifier = _Verifier(self, staleness, self._validated)
        self._proofs = _Proofs()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, **options: Any) -> "Authsvc":
        """Reads AUTHSVC_ISSUER, AUTHSVC_APP_ID and AUTHSVC_API_KEY, and checks them with one call."""
        values = [_variable(environment, name) for name in ("AUTHSVC_ISSUER", "AUTHSVC_APP_ID", "AUTHSVC_API_KEY")]
        client = cls(*values, **options)
        client.check()
        return client

    def check(self) -> None:
        """Raises `ConfigurationError` if there is no authsvc with this issuer, or it rejects the App ID or API key."""
        try:
            issuer = self._call("GET", "/.well-known/openid-configuration", {})["issuer"]
            self.application()
        except AuthsvcError as error:
            if error.code == "INVALID_API_KEY":
                hint = f"create another: authsvc key create --app {self.app_id}"
                raise ConfigurationError(f"AUTHSVC_API_KEY: the service rejects it; {hint}") from error
            if error.code == "INVALID_APP_ID":
                hint = "list them: authsvc app list"
                raise ConfigurationError(f"AUTHSVC_APP_ID: not the app of AUTHSVC_API_KEY; {hint}") from error
            raise ConfigurationError(f"AUTHSVC_ISSUER: no authsvc answers at {self.issuer}: {error}") from error
        if issuer != self.issuer:
            raise ConfigurationError(f"AUTHSVC_ISSUER: the issuer there is {issuer}; set AUTHSVC_ISSUER={issuer}")

    # Sign-in and tokens (docs/spec/http-api.md, 4.1)

    def initiate(self, redirect_uri: str, **fields: Any) -> dict[str, Any]:
        """`{authUrl, sessionId, expiresAt}`. Fields: state, authMethod, provider, scopes, codeChallenge, loginHint, locale,
        acr, maxAge, organization."""
        return self._call("POST", "/auth/initiate", self._server(), {"redirectUri": redirect_uri, **fields}, repeat=True)

    def callback(self, code: str, session_id: str, state: Optional[str] = None,
                 code_verifier: Optional[str] = None) -> dict[str, Any]:
        """`{accessToken, refreshToken, expiresIn, user}`. Never repeated: a code works once."""
        body = {"code": code, "sessionId": session_id, "state": state, "codeVerifier": code_verifier}
        return self._call("POST", "/auth/callback", self._server(), _without_none(body))

    def refresh(self, refresh_token: str, organization: Optional[str] = None) -> dict[str, Any]:
        """`{accessToken, refreshToken, expiresIn}`. The same token returns the same successor for 30 seconds.
        `organization`: the one that the access token names, by id or slug, or `none`; by default the login's last one.
        Raises `AuthsvcError` with INSUFFICIENT_SCOPE if the user may not use it."""
        body = _without_none({"refreshToken": refresh_token, "organization": organization})
        return self._call("POST", "/auth/refresh", self._server(), body, repeat=True)

    def validate(self, access_token: str) -> dict[str, Any]:
        """Asks the service: `{valid, user, scopes, expiresAt}`, and `acr` for a sign-in with two factors. Raises `AuthsvcError` with INVALID_TOKEN. With
        `clientId`, the token was issued to that OpenID Connect client, which may be a third party's program."""
        return self._call("GET", "/auth/validate", self._user(access_token), repeat=True)

    def verify(self, access_token: str, proving: Optional["ProvenCall"] = None) -> dict[str, Any]:
        """Like `validate`, but without a call for known tokens. Notices an ended login within `staleness` seconds.
        Rejects tokens of OpenID Connect clients that are not in `allowed_clients`. `proving`: the call that brought the
        token with the scheme DPoP; without it, a token that is bound to a key is rejected."""
        if _is_personal(access_token):
            if proving is not None:
                raise _wrong_proof("the token is bound to no key")
            # Only the service knows what it means now.
            return self.validate(access_token)
        is_bound = _key_of(access_token) is not None
        if is_bound != (proving is not None):
            raise _wrong_proof("the token is bound to a key" if is_bound else "the token is bound to no key")
        answer = self._verifier.verify(access_token, is_bound)
        if proving is not None:
            self._proofs.require(access_token, proving)
        return answer

    def _validated(self, access_token: str, is_bound: bool) -> dict[str, Any]:
        answer = self._introspect(access_token) if is_bound else self.validate(access_token)
        client = _part_of(access_token, 1).get("client_id", self.app_id)
        if client != self.app_id and client not in self.allowed_clients:
            raise AuthsvcError(401, "INVALID_TOKEN", f"The token's client {client!r} is not in allowed_clients.")
        return answer

    def logout(self, access_token: str, *, refresh_token: Optional[str] = None, all_sessions: bool = False) -> dict[str, Any]:
        """Ends the login of the access token, the login of the refresh token, or all logins of the user."""
        body = {"refreshToken": refresh_token, "allSessions": True if all_sessions else None}
        return self._call("POST", "/auth/logout", self._user(access_token), _without_none(body))

    # The user's own data (docs/spec/http-api.md, 4.2 and 4.3)

    def profile(self, access_token: str) -> dict[str, Any]:
        return self._call("GET", "/users/profile", self._user(access_token), repeat=True)

    def update_profile(self, access_token: str, **fields: Any) -> dict[str, Any]:
        """Fields: the profile fields that users change (docs/users-api.md)."""
        return self._call("PATCH", "/users/profile", self._user(access_token), fields, repeat=True)

    def delete_profile(self, access_token: str) -> dict[str, Any]:
        return self._call("DELETE", "/users/profile", self._user(access_token))

    def auth_methods(self, access_token: str) -> list[dict[str, Any]]:
        return self._call("GET", "/users/auth-methods", self._user(access_token), repeat=True)["methods"]

    def add_auth_method(self, access_token: str, kind: str, redirect_uri: str, provider: Optional[str] = None) -> dict[str, Any]:
        """`{authUrl, sessionId, expiresAt}`: send the user there. `kind`: passkey, oauth or password."""
        body = _without_none({"type": kind, "redirectUri": redirect_uri, "provider": provider})
        return self._call("POST", "/users/auth-methods", self._user(access_token), body)

    def remove_auth_method(self, access_token: str, method_id: str) -> dict[str, Any]:
        path = f"/users/auth-methods/{urllib.parse.quote(method_id, safe='')}"
        return self._call("DELETE", path, self._user(access_token))

    # The application and its webhooks (docs/spec/http-api.md, 4.4 and 4.5)

    def application(self) -> dict[str, Any]:
        return self._call("GET", f"/applications/{self.app_id}", self._server(), repeat=True)

    def update_application(self, **fields: Any) -> dict[str, Any]:
        """Fields: name, redirectUris, authMethods."""
        return self._call("PATCH", f"/applications/{self.app_id}", self._server(), fields, repeat=True)

    def register_webhook(self, url: str, events: list[str], secret: str) -> dict[str, Any]:
        body = {"url": url, "events": events, "secret": secret}
        return self._call("POST", "/webhooks/endpoints", self._server(), body)

    # The application's users and groups (docs/users-api.md, docs/groups.md)

    def users(self, **query: Any) -> dict[str, Any]:
        """A page: `{users, nextCursor}`. Filters: email, name, group, state, …; sort, limit, cursor."""
        return self._manage("GET", "/users", query=query)

    def create_user(self, email: str, **fields: Any) -> dict[str, Any]:
        """Fields: emailVerified, profile fields (docs/users-api.md), password, invite."""
        return self._manage("POST", "/users", {"email": email, **fields})

    def user(self, user_id: str) -> dict[str, Any]:
        return self._manage("GET", "/users/{}", values=(user_id,))

    def update_user(self, user_id: str, **fields: Any) -> dict[str, Any]:
        """Fields: email, emailVerified, profile fields (docs/users-api.md), disabled."""
        return self._manage("PATCH", "/users/{}", fields, values=(user_id,))

    def delete_user(self, user_id: str) -> dict[str, Any]:
        """Permanent."""
        return self._manage("DELETE", "/users/{}", values=(user_id,))

    def logout_user(self, user_id: str) -> dict[str, Any]:
        """Ends all logins of the user: `{ended}`."""
        return self._manage("POST", "/users/{}/logout", values=(user_id,))

    def user_auth_methods(self, user_id: str) -> list[dict[str, Any]]:
        return self._manage("GET", "/users/{}/auth-methods", values=(user_id,))["methods"]

    def remove_user_auth_method(self, user_id: str, method_id: str) -> dict[str, Any]:
        """Also ends all logins of the user."""
        return self._manage("DELETE", "/users/{}/auth-methods/{}", values=(user_id, method_id))

    def user_personal_tokens(self, user_id: str) -> list[dict[str, Any]]:
        """The live ones."""
        return self._manage("GET", "/users/{}/personal-tokens", values=(user_id,))["tokens"]

    def end_user_personal_token(self, user_id: str, token_id: str) -> dict[str, Any]:
        """Permanent."""
        return self._manage("DELETE", "/users/{}/personal-tokens/{}", values=(user_id, token_id))

    def set_user_metadata(self, user_id: str, **parts: Any) -> dict[str, Any]:
        """Parts: public, private. Merge patches: omitted keys stay as they are."""
        return self._manage("PATCH", "/users/{}/metadata", parts, values=(user_id,))

    def groups(self) -> list[dict[str, Any]]:
        return self._manage("GET", "/groups")["groups"]

    def create_group(self, name: str) -> dict[str, Any]:
        """Also succeeds if the group exists."""
        return self._manage("PUT", "/groups/{}", values=(name,))

    def delete_group(self, name: str) -> dict[str, Any]:
        return self._manage("DELETE", "/groups/{}", values=(name,))

    def group_members(self, name: str, **query: Any) -> dict[str, Any]:
        """A page: `{members, nextCursor}`. Query: limit, cursor."""
        return self._manage("GET", "/groups/{}/members", values=(name,), query=query)

    def add_to_group(self, name: str, user_id: str) -> dict[str, Any]:
        return self._manage("PUT", "/groups/{}/members/{}", values=(name, user_id))

    def remove_from_group(self, name: str, user_id: str) -> dict[str, Any]:
        return self._manage("DELETE", "/groups/{}/members/{}", values=(name, user_id))

    def _introspection(self, access_token: str) -> dict[str, Any]:
        """What the service says of a valid token. A proof is for your own URL, so none is sent on."""
        names = (urllib.parse.quote(one, safe="") for one in (self.app_id, self._api_key))
        headers = {"Authorization": "Basic " + base64.b64encode(":".join(names).encode()).decode()}
        claims = self._call("POST", "/oauth2/introspect", headers, form={"token": access_token}, repeat=True)
        if claims.get("active") is not True:
            raise AuthsvcError(401, "INVALID_TOKEN", "The access token is not valid: it has expired, or its login has ended.")
        return claims

    def _introspect(self, access_token: str) -> dict[str, Any]:
        """Like `validate`, for a token that is bound to a key."""
        claims = self._introspection(access_token)
        expires_at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(claims["exp"]))
        client = {} if claims["client_id"] == self.app_id else {"clientId": claims["client_id"]}
        return {"valid": True, "user": {"id": claims["sub"]}, "scopes": claims["scope"].split(), "expiresAt": expires_at, **client}

    def _manage(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None, *, values: tuple[str, ...] = (),
                query: Optional[Mapping[str, Any]] = None) -> Any:
        quoted = [urllib.parse.quote(value, safe="") for value in values]
        asked = f"?{urllib.parse.urlencode(_without_none(query))}" if query else ""
        address = f"/applications/{self.app_id}{path.format(*quoted)}{asked}"
        return self._call(method, address, self._server(), body, repeat=method in ("GET", "PUT"))

    def _server(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._api_key}", "X-Service-App-ID": self.app_id}

    def _user(self, access_token: str) -> dict[str, str]:
        if not re.fullmatch(r"[\w.~+/=-]+", access_token, re.ASCII):
            raise AuthsvcError(401, "INVALID_TOKEN", "The access token is invalid.")
        return {"Authorization": f"Bearer {access_token}", "X-Service-App-ID": self.app_id}

    def _call(self, method: str, path: str, headers: Mapping[str, str], body: Optional[Mapping[str, Any]] = None, *,
              form: Optional[Mapping[str, str]] = None, repeat: bool = False, timeout: Optional[float] = None) -> Any:
        """`repeat`: safe to call twice, so it is tried again after a network error or a short wait, at most twice."""
        for attempt in range(3 if repeat else 1):
            try:
                return self._call_once(method, path, headers, body, form, timeout or self._timeout)
            except AuthsvcError as error:
                wait = error.retry_after if error.retry_after is not None else 0.2 * (attempt + 1)
                may_pass = error.status in (0, 429, 502, 503, 504) and wait <= 2
                if not (repeat and may_pass and attempt < 2):
                    raise
                time.sleep(wait)
        raise AssertionError("unreachable")

    def _call_once(self, method: str, path: str, headers: Mapping[str, str], body: Optional[Mapping[str, Any]],
                   form: Optional[Mapping[str, str]], timeout: float) -> Any:
        text = json.dumps(body) if form is None and body is not None else form and urllib.parse.urlencode(form)
        data = None if text is None else text.encode()
        kind = "application/json" if form is None else "application/x-www-form-urlencoded"
        sent = {"Accept": "application/json", **headers, **({"Content-Type": kind} if data else {})}
        request = urllib.request.Request(self.issuer + path, data=data, headers=sent, method=method)
        try:
            with self._opener.open(request, timeout=timeout) as answer:
                return json.loads(answer.read(_MAX_ANSWER))
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise AuthsvcError(0, "UNREACHABLE", f"authsvc at {self.issuer} cannot be reached: {error}") from error


def _refusal(answer: urllib.error.HTTPError) -> AuthsvcError:
    try:
        error = json.loads(answer.read(_MAX_ANSWER))["error"]
        code, message, details = str(error["code"]), str(error["message"]), str(error.get("details") or "")
    except (ValueError, KeyError, TypeError, OSError):
        code, message, details = "SERVER_ERROR", f"authsvc answered with status {answer.code}.", ""
    after = answer.headers.get("Retry-After") or ""
    return AuthsvcError(answer.code, code, message, details=details, request_id=answer.headers.get("X-Request-Id"),
                        retry_after=float(after) if re.fullmatch(r"\d{1,9}", after, re.ASCII) else None)


def _without_none(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def _variable(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise ConfigurationError(f"{name}: not set; `authsvc serve --dev` prints the lines for a .env file")
    return value


class _Remembered(NamedTuple):
    answer: dict[str, Any]
    #: The user, the login, the signing key and the organization of the token.
    names: frozenset[str]
    expires_at: float


class _Verifier:
    """Remembers valid tokens, and follows the revocation feed to forget those whose login has ended.

    For a token that is not remembered, it asks the service. Remembered answers count only while the feed is fresh.
    """

    def __init__(self, client: Authsvc, staleness: float, ask: Callable[[str, bool], dict[str, Any]]) -> None:
        # Less leaves no time for a long poll. With infinity, ended logins would stay valid while the feed is cut.
        if not 3 <= staleness < float("inf"):
            raise ConfigurationError("staleness: must be a number of seconds, at least 3")
        self._client = client
        self._staleness = staleness
        self._ask = ask
        self._start_over()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._start_over)

    def _start_over(self) -> None:
        self._lock = threading.Lock()
        self._remembered: OrderedDict[str, _Remembered] = OrderedDict()
        #: The number of the newest entry of the feed, and the newest entry about each name.
        self._newest = 0
        self._newest_about: dict[str, int] = {}
        self._knows_all_kinds = True
        self._fresh_at = float("-inf")
        self._used_at = float("-inf")
        self._follows = False

    def verify(self, token: str, is_bound: bool) -> dict[str, Any]:
        if not isinstance(token, str) or len(token) > _MAX_TOKEN or not re.fullmatch(r"[\w-]+(\.[\w-]+){2}", token, re.ASCII):
            raise AuthsvcError(401, "INVALID_TOKEN", "The access token is not valid: it is not a signed JWT.")
        key = hashlib.sha256(token.encode()).hexdigest()
        with self._lock:
            self._follow()
            known = self._remembered.get(key)
            is_fresh = time.monotonic() - self._fresh_at <= self._staleness and self._knows_all_kinds
            if known and is_fresh and known.expires_at > time.time():
                self._remembered.move_to_end(key)
                return known.answer
            newest = self._newest
        answer = self._ask(token, is_bound)
        header, claims = _part_of(token, 0), _part_of(token, 1)
        named = [claims.get("sub"), claims.get("sid"), header.get("kid")]
        if claims.get("org_id") is not None:
            named += [_subject(claims["org_id"]), _subject(claims["org_id"], claims.get("sub"))]
        names = frozenset(str(name) for name in named)
        with self._lock:
            # An entry that arrived during the call may be newer than its answer.
            if all(self._newest_about.get(name, 0) <= newest for name in (*names, "*")):
                self._remembered[key] = _Remembered(answer, names, float(claims["exp"]))
                if len(self._remembered) > _MAX_REMEMBERED:
                    self._remembered.popitem(last=False)
        return answer

    def _follow(self) -> None:
        self._used_at = time.monotonic()
        if not self._follows:
            self._follows = True
            threading.Thread(target=self._run, name="authsvc-revocations", daemon=True).start()

    def _run(self) -> None:
        cursor: Optional[str] = None
        pause = 0.0
        while True:
            time.sleep(pause)
            with self._lock:
                if time.monotonic() - self._used_at > _IDLE_SECONDS:
                    self._follows = False
                    return
            try:
                cursor, has_waited = self._read(cursor)
                # With too many waiting calls, the service answers at once. Then pause here.
                pause = 0 if has_waited else 1
            except AuthsvcError as error:
                # 410: the cursor is too old. Reading the next first cursor forgets all answers.
                cursor = None if error.status == 410 else cursor
                pause = min(max(error.retry_after or 0, pause * 2, 0.25), 5)

    def _read(self, cursor: Optional[str]) -> tuple[str, bool]:
        """Reads the feed once. Returns the next cursor, and whether the service waited or sent entries."""
        wait = 0 if cursor is None else max(0, min(int(self._staleness) - 2, 25))
        query = f"?{urllib.parse.urlencode(_without_none({'after': cursor, 'wait': wait, 'kinds': 'organization'}))}"
        asked = time.monotonic()
        answer = self._client._call("GET", f"/auth/revocations{query}", self._client._server(), timeout=wait + 5)
        is_in_full = time.monotonic() - asked >= wait
        try:
            entries, next_cursor = [dict(entry) for entry in answer["revoked"]], answer["cursor"]
        except (KeyError, TypeError, ValueError) as error:
            raise AuthsvcError(0, "UNREACHABLE", f"{self._client.issuer} did not return a revocation feed") from error
        names = {str(entry[name]) for entry in entries for name in ("sid", "sub", "kid") if name in entry}
        names |= {_subject(entry["organization"], entry.get("user")) for entry in entries if "organization" in entry}
        with self._lock:
            # What was remembered before the first cursor may have ended since.
            self._forget({"*"} if cursor is None else names)
            if any(not entry.keys() & {"sid", "sub", "kid", "organization"} for entry in entries):
                self._knows_all_kinds = False
            if not answer.get("more"):
                # An empty answer after the whole wait is current at its end; any other at least at its beginning.
                self._fresh_at = asked + (wait if not entries and is_in_full else 0)
        return str(next_cursor), is_in_full or bool(entries)

    def _forget(self, names: set[str]) -> None:
        """Forgets the tokens of these logins, users and signing keys; `*`: all."""
        if not names:
            return
        self._newest += 1
        if len(self._newest_about) + len(names) > _MAX_REMEMBERED:
            self._newest_about = {"*": self._newest}
        self._newest_about.update(dict.fromkeys(names, self._newest))
        for key, seen in list(self._remembered.items()):
            if "*" in names or seen.names & names:
                del self._remembered[key]


def _subject(organization: Any, user: Any = None) -> str:
    """What an entry of the feed is about: an organization, or one of its members."""
    return f"{organization} {user or ''}"


def _part_of(token: str, place: int) -> dict[str, Any]:
    """A part of a token that the service called valid. Raises ValueError if it is no such text."""
    try:
        return _object_in(token.split(".")[place])
    except Exception:
        raise ValueError("not a signed JWT") from None


def _is_personal(token: str) -> bool:
    """Whether it has the form of a personal access token."""
    return re.fullmatch(r"pat_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}", token) is not None


def _key_of(token: str) -> Any:
    """The key that the token says it is bound to; None if it says nothing, or is none."""
    try:
        return _part_of(token, 1).get("cnf")
    except ValueError:
        return None


def _object_in(part: str) -> dict[str, Any]:
    """A JSON object in base64url, without what only Python takes for it."""
    value = json.loads(_from_base64url(part).decode(), parse_constant=_refuse_constant)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _to_base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _from_base64url(text: str) -> bytes:
    # The library skips any other character.
    if not re.fullmatch(r"[\w-]*", text, re.ASCII):
        raise ValueError("not base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass(frozen=True)
class Reply:
    """The response for the browser: `status`, `headers` (pairs; `Set-Cookie` may repeat) and `body`."""

    status: int
    headers: list[tuple[str, str]]
    body: str = ""


class Access(NamedTuple):
    """What a request to a protected API may do. `claims["sub"]`: the user, or the machine itself."""

    token: str
    claims: dict[str, Any]
    client_id: str
    scopes: list[str]


class ProtectedResource:
    """Protects an API, such as an MCP server, with tokens that the service issues for it.

    `resource`: the identifier of `authsvc resource create`, exactly as registered. `scopes`: those that clients may ask
    for.
    """

    _well_known = "/.well-known/oauth-protected-resource"

    def __init__(self, client: Authsvc, resource: str, scopes: Collection[str], *, staleness: float = 5) -> None:
        url = urllib.parse.urlsplit(resource)
        if url.scheme not in ("http", "https") or not url.hostname or re.search(r'["\s\\#]', resource):
            raise ConfigurationError("resource: must be an identifier of `authsvc resource list`, as it stands there")
        if isinstance(scopes, str) or not all(re.fullmatch(r"[!#-\[\]-~]+", scope) for scope in scopes):
            raise ConfigurationError("scopes: must be a list of the resource's scopes: `authsvc resource show`")
        self._client = client
        self._resource = resource
        self._scopes = list(scopes)
        self._origin = f"{url.scheme}://{url.netloc}"
        self._metadata_path = self._well_known + ("" if url.path == "/" else url.path)
        self._metadata_url = self._origin + self._metadata_path + (f"?{url.query}" if url.query else "")
        self._proofs = _Proofs()
        self._verifier = _Verifier(client, staleness, self._introspected)

    def metadata(self, path: str) -> Optional[Reply]:
        """The reply to a request for the metadata (RFC 9728), also to OPTIONS; None for any other path."""
        if path not in (self._well_known, self._metadata_path):
            return None
        body = {"resource": self._resource, "authorization_servers": [self._client.issuer],
                "scopes_supported": self._scopes, "bearer_methods_supported": ["header"],
                "dpop_signing_alg_values_supported": list(_PROOF_ALGORITHMS)}
        headers = [("Content-Type", "application/json"), ("Access-Control-Allow-Origin", "*"),
                   ("Access-Control-Allow-Headers", "*"), ("Cache-Control", "public, max-age=600")]
        return Reply(200, headers, json.dumps(body))

    def require(self, method: str, path: str, authorization: Optional[str], dpop: Optional[str] = None, *,
                scopes: Collection[str] = ()) -> tuple[Optional[Access], Optional[Reply]]:
        """What a request may do, or the reply that refuses it. Pass its headers `Authorization` and `DPoP`, and its path
        as frameworks tell it, without escapes. `scopes`: those that it needs."""
        self._check_scopes(scopes)
        match = re.fullmatch(r"(bearer|dpop) +([!-~]+)", authorization or "", re.ASCII | re.IGNORECASE)
        scheme = "DPoP" if match and match[1].lower() == "dpop" else "Bearer"
        asked = list(scopes) or self._scopes
        if not match:
            return None, self._refusal(401, scheme, asked, None, "An access token is required.")
        token = match[2]
        try:
            claims = self._personal(token) if _is_personal(token) else self._verifier.verify(token, False)
        except AuthsvcError as error:
            if error.code == "INVALID_TOKEN":
                return None, self._refusal(401, scheme, asked, "invalid_token", str(error))
            if error.status not in (0, 429) and error.status < 500:
                raise
            headers = [("Retry-After", str(math.ceil(error.retry_after or 5))), *_UNSTORED]
            body = {"error": "temporarily_unavailable", "error_description": "The token cannot be checked now."}
            return None, Reply(503, headers, json.dumps(body))
        misuse = self._misuse(method, path, scheme, token, claims.get("cnf"), dpop)
        if misuse:
            wanted, code, description = misuse
            return None, self._refusal(401, wanted, asked, code, description)
        granted = [scope for scope in str(claims.get("scope", "")).split(" ") if scope]
        if not set(scopes) <= set(granted):
            # With those that it has: clients ask for exactly this list, and would lose the others.
            every = [*granted, *(scope for scope in scopes if scope not in granted)]
            description = "The token does not have the scope for this."
            return None, self._refusal(403, scheme, every, "insufficient_scope", description)
        return Access(token, claims, str(claims["client_id"]), granted), None

    def require_scopes(self, access: Optional[Access], scopes: Collection[str]) -> Access:
        """For what runs after `require`, such as a tool of an MCP server: one request may carry several calls. The
        access, if it has these scopes. Raises `AuthsvcError` with INSUFFICIENT_SCOPE, or INVALID_TOKEN without access."""
        self._check_scopes(scopes)
        if access is None:
            raise AuthsvcError(401, "INVALID_TOKEN", "An access token is required.")
        missing = [scope for scope in scopes if scope not in access.scopes]
        if missing:
            raise AuthsvcError(403, "INSUFFICIENT_SCOPE", f"The token does not have the scope {' '.join(missing)}.")
        return access

    def _check_scopes(self, scopes: Collection[str]) -> None:
        """A misspelt scope would refuse everybody."""
        if isinstance(scopes, str) or not set(scopes) <= set(self._scopes):
            raise ConfigurationError(f"scopes: {scopes!r} must be a list of those of this resource")

    def _introspected(self, token: str, _is_bound: bool) -> dict[str, Any]:
        """The claims of a valid token for this resource. A token that does not even claim to be one costs no call."""
        try:
            claims = _part_of(token, 1)
        except ValueError:
            raise AuthsvcError(401, "INVALID_TOKEN", "The access token is not valid: it is not a signed JWT.") from None
        if claims.get("aud") != [self._resource] or claims.get("app_id") != self._client.app_id:
            raise AuthsvcError(401, "INVALID_TOKEN", "The access token is not valid: it is not for this resource (aud).")
        self._client._introspection(token)
        return claims

    def _personal(self, token: str) -> dict[str, Any]:
        """The claims of a personal access token for this resource. Only the service knows what it means now."""
        claims = self._client._introspection(token)
        if claims.get("aud") != [self._resource]:
            raise AuthsvcError(401, "INVALID_TOKEN", "The access token is not valid: it is not for this resource (aud).")
        return claims

    def _misuse(self, method: str, path: str, scheme: str, token: str, cnf: Any,
                dpop: Optional[str]) -> Optional[tuple[str, str, str]]:
        """Why the token must not be used in this way: the scheme to use, the error and its description."""
        if cnf is None:
            wrong = ("Bearer", "invalid_token", "The token is not bound to a key: send it as Bearer.")
            return wrong if scheme == "DPoP" else None
        if scheme != "DPoP":
            return ("DPoP", "invalid_token", "The token is bound to a key: send a DPoP proof.")
        # Not the header Host: whoever sends the request chooses it.
        url = self._origin + urllib.parse.quote(path, safe="/:@!$&'()*+,;=~", errors="replace")
        try:
            self._proofs.require(token, ProvenCall(method, url, dpop))
            return None
        except AuthsvcError as error:
            return ("DPoP", "invalid_dpop_proof", str(error))

    def _refusal(self, status: int, scheme: str, scopes: list[str], error: Optional[str], description: str) -> Reply:
        parameters = {"error": error, "error_description": error and description, "scope": " ".join(scopes) or None,
                      "algs": " ".join(_PROOF_ALGORITHMS) if scheme == "DPoP" else None,
                      "resource_metadata": self._metadata_url}
        challenge = ", ".join(f'{name}="{value}"' for name, value in parameters.items() if value is not None)
        headers = [("WWW-Authenticate", f"{scheme} {challenge}"), *_UNSTORED]
        return Reply(status, headers, json.dumps({"error": error or "unauthorized", "error_description": description}))


#: Of every refusal of a protected API.
_UNSTORED = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
_PROOF_ALGORITHMS = ("ES256", "EdDSA", "RS256", "Ed25519", "PS256")


class WebSignIn:
    """Sign-in for web pages: the login is kept in an encrypted cookie and refreshed silently.

    `redirect_uri`: the URL of your route that calls `finish`; it must be registered. `cookie_secret`: at least 32
    characters, from AUTHSVC_COOKIE_SECRET if omitted. `trusted_proxies`: how many proxies are in front of this program,
    each of which appends to `X-Forwarded-For`; by default 1 if the connection comes from a private address, else 0.
    Frameworks differ only in how they pass the `Cookie` header and the reply: see `examples/`.
    """

    def __init__(self, client: Authsvc, redirect_uri: str, cookie_secret: Optional[str] = None, *,
                 trusted_proxies: Optional[int] = None) -> None:
        url = urllib.parse.urlsplit(redirect_uri)
        is_https = url.scheme == "https"
        if not is_https and not (url.scheme == "http" and _is_loopback(url.hostname or "")):
            raise ConfigurationError("redirect_uri: must begin with https://; http is for this machine only")
        secret = _variable(os.environ, "AUTHSVC_COOKIE_SECRET") if cookie_secret is None else cookie_secret
        if len(secret) < 32:
            hint = "generate one: openssl rand -base64 32"
            raise ConfigurationError(f"AUTHSVC_COOKIE_SECRET: at least 32 characters; {hint}")
        self._starts = _StartLimit(trusted_proxies)
        registered = client.application()["redirectUris"]
        if redirect_uri not in registered:
            command = f"authsvc app update {client.app_id} --add-redirect-uri {redirect_uri}"
            raise ConfigurationError(f"redirect_uri: {redirect_uri} is not registered; add it: {command}")
        self._client = client
        self._redirect_uri = redirect_uri
        self._origin = f"{url.scheme}://{url.netloc}"
        self._attributes = f"Path=/; HttpOnly; SameSite=Lax{'; Secure' if is_https else ''}"
        # Browsers send a cookie to all ports of its host: a part of the name tells applications apart.
        tag = _to_base64url(hashlib.sha256(f"{client.app_id} {self._origin}".encode()).digest())[:8]
        prefix = f"{'__Host-' if is_https else ''}authsvc-{tag}"
        self._login = _SealedCookie(f"{prefix}-session", secret)
        self._started = _SealedCookie(f"{prefix}-sign-in", secret)

    def start(self, return_to: str = "/", *, peer: Optional[str] = None, forwarded_for: Optional[str] = None,
              **fields: Any) -> Reply:
        """Sends the browser to the sign-in pages. `return_to`: a path of your application. Fields: those of `initiate`.
        `peer`, `forwarded_for`: the address of the connection and the header `X-Forwarded-For`, so that one visitor
        starts at most 10 sign-ins a minute."""
        pause = self._starts.count(peer or "", forwarded_for)
        if pause is not None:
            return self._page(429, "You started too many sign-ins. Wait a minute, and try again.",
                              [("Retry-After", str(pause))])
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        challenge = _to_base64url(hashlib.sha256(verifier.encode()).digest())
        session = self._client.initiate(self._redirect_uri, state=state, codeChallenge=challenge, **fields)
        to = _own_path(return_to)
        # The page that asked for a stronger sign-in would ask again.
        cancelled = "/" if "acr" in fields or "maxAge" in fields else to
        kept = {"state": state, "verifier": verifier, "sessionId": session["sessionId"], "to": to, "cancelled": cancelled}
        return self._redirect(session["authUrl"], self._cookies(self._started.sealed(kept), max_age=600))

    def finish(self, query: Mapping[str, str], cookie_header: Optional[str]) -> Reply:
        """For the browser's return: exchanges the code, sets the cookie, and redirects to `return_to`."""
        started = self._started.opened(cookie_header)
        gone = self._removed(self._started, cookie_header)
        if started is None:
            return self._page(400, "This sign-in did not begin in this browser, or it took too long. Please sign in "
                                   "again, and allow cookies.", gone)
        if not hmac.compare_digest(str(started["state"]).encode(), query.get("state", "").encode()):
            return self._page(400, "This sign-in did not begin here. Please sign in again.")
        if query.get("error") == "unmet_authentication_requirements":
            return self._page(403, "This needs a passkey or a second factor, which your account does not have. Add one "
                                   "to your account first.", gone)
        if "code" not in query:
            return self._redirect(started["cancelled"], gone)
        try:
            tokens = self._client.callback(query["code"], started["sessionId"], started["state"], started["verifier"])
        except AuthsvcError as error:
            if error.status != 400:
                raise
            return self._page(400, "This sign-in has expired. Please sign in again.", gone)
        return self._redirect(started["to"], gone + self._login_cookies(tokens, cookie_header))

    def user(self, cookie_header: Optional[str],
             authorization: Optional[str] = None) -> tuple[Optional[dict[str, Any]], list[tuple[str, str]]]:
        """The signed-in user or None, and headers for your response. They replace its own headers of the same name,
        except `Set-Cookie`. With a header `Authorization: Bearer …`, only that token counts, because the cookie may be
        another person's. Raises `AuthsvcError` if the service cannot be reached and the login cannot be verified
        without it."""
        user, headers, _ = self._session(cookie_header, authorization)
        return user, headers

    def require_user(self, cookie_header: Optional[str], authorization: Optional[str] = None, *, confined: bool = False
                     ) -> tuple[Optional[dict[str, Any]], list[tuple[str, str]], Optional[Reply]]:
        """The user, the headers of `user`, and None. Otherwise None, and a `Reply` to send instead: 401 for somebody
        who is signed out, 403 for who is there for their organization only (`org_confined`), unless `confined`."""
        user, headers, token = self._session(cookie_header, authorization)
        if user is None:
            return None, headers, self._page(401, "Nobody is signed in.", [("WWW-Authenticate", "Bearer"), *headers])
        claims = {} if token.startswith("pat_") else _part_of(token, 1)
        if user["organization"] is not None and claims.get("org_confined") is True and not confined:
            return None, headers, self._page(403, "You signed in by your organization, for its pages only.", headers)
        return user, headers, None

    def require_organization(self, cookie_header: Optional[str], authorization: Optional[str] = None, *,
                             organization: Any = _ANY, roles: Optional[Collection[str]] = None
                             ) -> tuple[Optional[dict[str, Any]], list[tuple[str, str]], Optional[Reply]]:
        """For what belongs to an organization: the user, the headers of `user`, and None. Otherwise None, and a `Reply`
        to send instead: 401 for somebody who is signed out, 403 without an organization or role, 409 if another
        organization is open in this browser. `organization`: the id that a form or a path names. `roles`: the user
        needs one of them."""
        if isinstance(roles, str) or (roles is not None and not roles):
            raise ConfigurationError("roles: must be a list of roles, at least one")
        user, headers, _ = self._session(cookie_header, authorization)
        if user is None:
            return None, headers, self._page(401, "Nobody is signed in.", [("WWW-Authenticate", "Bearer"), *headers])
        opened = user["organization"]
        if opened is None:
            return None, headers, self._page(403, "Open an organization first.", headers)
        if organization is not _ANY and organization != opened["id"]:
            return None, headers, self._page(409, "Another organization is open in this browser. Go back, and open this "
                                                  "one first.", headers)
        if roles is not None and not set(roles) & set(opened["roles"]):
            return None, headers, self._page(403, "You lack the role for this.", headers)
        return user, headers, None

    def switch_organization(self, cookie_header: Optional[str], origin: Optional[str], organization: str,
                            return_to: str = "/", *, fetch_site: Optional[str] = None) -> Reply:
        """Handles a POST of your own page: opens another organization in this browser, by id or slug, or none (`none`).
        `origin`, `fetch_site`: as for `logout`. If the user may not use it, the reply is 403, and nothing changes."""
        if not self._is_own(origin, fetch_site):
            return self._page(403, "This form was not sent from this site.")
        login = self._login.opened(cookie_header)
        if login is None or not organization:
            return self._page(401 if login is None else 400, "Nobody is signed in, or the organization is missing.")
        try:
            tokens = self._client.refresh(login["refreshToken"], organization)
        except AuthsvcError as error:
            if error.code == "INSUFFICIENT_SCOPE":
                return self._page(403, "You cannot open this organization.")
            if error.code != "INVALID_TOKEN":
                raise
            return self._redirect(_own_path(return_to), self._removed(self._login, cookie_header))
        return self._redirect(_own_path(return_to), self._login_cookies(tokens, cookie_header))

    def require_fresh(self, cookie_header: Optional[str], authorization: Optional[str] = None, *,
                      acr: Optional[str] = None, max_age: Optional[int] = None, return_to: Optional[str] = None,
                      **visitor: Any) -> tuple[Optional[dict[str, Any]], list[tuple[str, str]], Optional[Reply]]:
        """For what needs a strong or a recent sign-in: the user, the headers of `user`, and None. Otherwise None, and a
        `Reply` to send instead: to a sign-in that does and back to the page `return_to`, or without `return_to`, and
        for bearer tokens, 401 with the challenge of RFC 9470. `acr`: `urn:authsvc:acr:2` for two factors, `phr` for a
        passkey. `max_age`: the most seconds since the person was proven, at least 60. `visitor`: `peer` and
        `forwarded_for`, as for `start`."""
        if (max_age is None if acr is None else acr not in _LEVELS):
            raise ConfigurationError(f"acr: must be one of {', '.join(_LEVELS)}")
        if max_age is not None and (not isinstance(max_age, int) or max_age < _LEAST_AGE):
            raise ConfigurationError(f"max_age: must be whole seconds, at least {_LEAST_AGE}")
        user, headers, token = self._session(cookie_header, authorization)
        if user is not None and self._is_fresh(token, acr, max_age):
            return user, headers, None
        if return_to is not None and _bearer_of(authorization) is None:
            reply = self.start(return_to, **visitor, **_without_none({"acr": acr, "maxAge": max_age}))
            return None, headers, Reply(reply.status, [*headers, *reply.headers], reply.body)
        asked = [f'acr_values="{acr}"'] * (acr is not None) + [f'max_age="{max_age}"'] * (max_age is not None)
        insufficient = ", ".join(['Bearer error="insufficient_user_authentication"', *asked])
        challenge = ("WWW-Authenticate", "Bearer" if user is None else insufficient)
        return None, headers, self._page(401, "Sign in again for this.", [challenge, *headers])

    def _is_fresh(self, token: str, acr: Optional[str], max_age: Optional[int]) -> bool:
        claims = _part_of(token, 1)
        # Without the claim, nobody was ever proven.
        if max_age is not None and int(time.time()) - claims.get("auth_time", -math.inf) > max_age:
            return False
        reached = claims.get("acr")
        if acr is not None and reached == _LEVELS[1]:
            try:
                # The token cannot tell that a factor was removed since.
                reached = self._client.validate(token).get("acr", reached)
            except AuthsvcError as error:
                if error.code != "INVALID_TOKEN":
                    raise
                return False
        return acr is None or (reached in _LEVELS and _LEVELS.index(reached) >= _LEVELS.index(acr))

    def _session(self, cookie_header: Optional[str],
                 authorization: Optional[str]) -> tuple[Optional[dict[str, Any]], list[tuple[str, str]], str]:
        """The user, the headers for the response, and the access token."""
        bearer = _bearer_of(authorization)
        if bearer is not None:
            return self._user_of_token(bearer), [], bearer
        login = self._login.opened(cookie_header)
        if login is None:
            return None, [], ""
        try:
            if login["expiresAt"] - 30 > time.time():
                try:
                    return self._user_in(login), [], login["accessToken"]
                except AuthsvcError as error:
                    # Expired by the service's clock, or ended: refreshing shows which.
                    if error.code != "INVALID_TOKEN":
                        raise
            tokens = self._renewed(login)
            user = self._user_in(tokens)
            return user, [_UNCACHED, *self._login_cookies(tokens, cookie_header)], tokens["accessToken"]
        except AuthsvcError as error:
            # INSUFFICIENT_SCOPE: the user may not use the organization any more.
            if error.code not in ("INVALID_TOKEN", "INSUFFICIENT_SCOPE"):
                raise
            return None, [_UNCACHED, *self._removed(self._login, cookie_header)], ""

    def _renewed(self, login: Mapping[str, Any]) -> dict[str, Any]:
        """Tokens of the same organization as before, or of none. The login may name another one by now, and a request
        that is repeated must not act there."""
        named = _organization_of(login)
        tokens = self._refreshed_to(login["refreshToken"], named)
        got = _organization_of(tokens)
        if got is None or got == named:
            return tokens
        if named is not None:
            raise AuthsvcError(401, "INVALID_TOKEN", "The new token names another organization.")
        return self._client.refresh(tokens["refreshToken"], "none")

    def _refreshed_to(self, refresh_token: str, organization: Optional[str]) -> dict[str, Any]:
        try:
            return self._client.refresh(refresh_token, organization)
        except AuthsvcError as error:
            # The application has no organizations any more, and does not know the field.
            if organization is None or error.code != "INVALID_REQUEST":
                raise
            return self._client.refresh(refresh_token)

    def _user_in(self, login: Mapping[str, Any]) -> dict[str, Any]:
        """The user of a login or new tokens, and their organization. Raises `AuthsvcError` with INVALID_TOKEN."""
        user = self._client.verify(login["accessToken"])["user"]
        named = login.get("organization")
        if not named:
            return {**user, "organization": None}
        roles = _part_of(login["accessToken"], 1).get("org_roles")
        known = {name: named[name] for name in ("id", "slug", "name")}
        return {**user, "organization": {**known, "roles": list(roles or [])}}

    def _user_of_token(self, token: str) -> Optional[dict[str, Any]]:
        try:
            user = self._user_in({"accessToken": token})
            # Only the claims say it.
            claims = _part_of(token, 1)
            if not isinstance(claims.get("org_id"), str):
                return user
            roles = claims.get("org_roles")
            named = {"id": claims["org_id"], "slug": None, "name": None}
            return {**user, "organization": {**named, "roles": roles if isinstance(roles, list) else []}}
        except AuthsvcError as error:
            if error.code != "INVALID_TOKEN":
                raise
            return None

    def logout(self, cookie_header: Optional[str], origin: Optional[str], return_to: str = "/", *,
               fetch_site: Optional[str] = None) -> Reply:
        """Handles a POST of your own page, and rejects another site's form. `origin` and `fetch_site`: its headers
        `Origin` and `Sec-Fetch-Site`. The second is used for pages with `Referrer-Policy: no-referrer`."""
        if not self._is_own(origin, fetch_site):
            return self._page(403, "This form was not sent from this site.")
        login = self._login.opened(cookie_header)
        if login is not None:
            try:
                self._client.logout(login["accessToken"], refresh_token=login["refreshToken"])
            except AuthsvcError as error:
                # The access token has expired: refresh, then end the login with the new one.
                if error.code != "INVALID_TOKEN":
                    raise
                self._end_expired(login)
        return self._redirect(_own_path(return_to), self._removed(self._login, cookie_header))

    def _is_own(self, origin: Optional[str], fetch_site: Optional[str]) -> bool:
        is_hidden = origin is None or origin == "null"
        return fetch_site == "same-origin" if is_hidden else origin == self._origin

    def _end_expired(self, login: Mapping[str, Any]) -> None:
        refresh_token = login["refreshToken"]
        try:
            try:
                tokens = self._refreshed_to(refresh_token, _organization_of(login))
            except AuthsvcError as error:
                # Also of a user who may use the organization no more.
                if error.code != "INSUFFICIENT_SCOPE":
                    raise
                tokens = self._client.refresh(refresh_token, "none")
            self._client.logout(tokens["accessToken"])
        except AuthsvcError as error:
            if error.code not in ("INVALID_TOKEN", "INSUFFICIENT_SCOPE"):
                raise

    def _login_cookies(self, tokens: Mapping[str, Any], cookie_header: Optional[str]) -> list[tuple[str, str]]:
        return self._cookies(self._login.sealed(_login_of(tokens)), cookie_header=cookie_header)

    def _cookies(self, cookies: Mapping[str, str], *, max_age: int = 30 * 86_400,
                 cookie_header: Optional[str] = None) -> list[tuple[str, str]]:
        lines = [f"{name}={value}; Max-Age={max_age}; {self._attributes}" for name, value in cookies.items()]
        # A shorter value leaves parts of the longer one behind.
        left = [name for name in self._login.names_in(cookie_header) if name not in cookies]
        return [("Set-Cookie", line) for line in lines + [f"{name}=; Max-Age=0; {self._attributes}" for name in left]]

    def _removed(self, cookie: "_SealedCookie", cookie_header: Optional[str]) -> list[tuple[str, str]]:
        return [("Set-Cookie", f"{name}=; Max-Age=0; {self._attributes}") for name in cookie.names_in(cookie_header)]

    def _redirect(self, to: str, headers: list[tuple[str, str]]) -> Reply:
        return Reply(303, [("Location", to), _UNCACHED, *headers])

    def _page(self, status: int, text: str, headers: Optional[list[tuple[str, str]]] = None) -> Reply:
        kind = ("Content-Type", "text/plain; charset=utf-8")
        return Reply(status, [kind, _UNCACHED, *(headers or [])], text)


def _login_of(tokens: Mapping[str, Any]) -> dict[str, Any]:
    expires_at = time.time() + float(tokens["expiresIn"])
    kept = {"accessToken": tokens["accessToken"], "refreshToken": tokens["refreshToken"], "expiresAt": expires_at}
    # Its roles are in the token.
    named = tokens.get("organization")
    return {**kept, "organization": {name: named[name] for name in ("id", "slug", "name")}} if named else kept


def _organization_of(login: Mapping[str, Any]) -> Optional[str]:
    """The id of the organization that a login or new tokens name."""
    return (login.get("organization") or {}).get("id")


def _bearer_of(authorization: Optional[str]) -> Optional[str]:
    match = re.fullmatch(r"bearer +(.*)", authorization or "", re.ASCII | re.IGNORECASE)
    return match[1] if match else None


def _own_path(path: str) -> str:
    """The path, unless it leads to another site: then `/`."""
    return path if re.fullmatch(r"/(?![/\\])[!-~]*", path) else "/"


class _StartLimit:
    """Limits how often one visitor starts to sign in, so that nobody uses up the application's limit."""

    _per_minute = 10
    _max_proxies = 10

    def __init__(self, trusted_proxies: Optional[int]) -> None:
        is_number = isinstance(trusted_proxies, int) and not isinstance(trusted_proxies, bool)
        if trusted_proxies is not None and not (is_number and 0 <= trusted_proxies <= self._max_proxies):
            raise ConfigurationError(f"trusted_proxies: must be a whole number from 0 to {self._max_proxies}")
        self._proxies = trusted_proxies
        self._lock = threading.Lock()
        #: By visitor: starts in a minute, and when it began. The oldest are forgotten first.
        self._visitors: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def count(self, peer: str, forwarded_for: Optional[str]) -> Optional[int]:
        """Counts a start. The seconds to wait if it is one too many."""
        visitor = self._visitor(peer, forwarded_for)
        if visitor is None:
            return None
        now = time.monotonic()
        with self._lock:
            starts, since = self._visitors.get(visitor, (0, now))
            if now - since >= 60:
                del self._visitors[visitor]
                starts, since = 0, now
            self._visitors[visitor] = (starts + 1, since)
            if len(self._visitors) > _MAX_REMEMBERED:
                self._visitors.popitem(last=False)
        return None if starts < self._per_minute else max(1, math.ceil(since + 60 - now))

    def _visitor(self, peer: str, forwarded_for: Optional[str]) -> Optional[str]:
        """The visitor's network. Without the setting, a private or unknown peer is one proxy, and a private address is
        nobody's: many may share it."""
        claims = forwarded_for.split(",")[-self._max_proxies:] if forwarded_for else []
        chain = [_address(claim) for claim in [*claims, peer]]
        proxies = (0 if chain[-1] and chain[-1].is_global else 1) if self._proxies is None else self._proxies
        # Each proxy appends its peer. What is left of the visitor's address is the visitor's own claim.
        address = chain[max(0, len(chain) - 1 - proxies)]
        if address is None or (self._proxies is None and not address.is_global):
            return None
        # A subscriber has a whole /64 of IPv6.
        return str(ipaddress.ip_network((address, 64 if address.version == 6 else 32), strict=False))


def _address(claim: str) -> Any:
    """An `ipaddress`, without the port that some proxies append; None if it is not one."""
    match = re.fullmatch(r"\[([^\]]+)\](?::\d+)?|([^:]+):\d+", claim.strip())
    text = (match[1] or match[2]) if match else claim.strip()
    try:
        address = ipaddress.ip_address(text.split("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


class _SealedCookie:
    """JSON in cookies, encrypted and authenticated by HMAC-SHA256, because the standard library has no cipher: a key
    stream from nonces (counter mode), then a tag over all of it. Browsers keep 4,096 bytes in one cookie, so long
    values take several."""

    _part = 3_500

    def __init__(self, name: str, secret: str) -> None:
        self._name = name
        self._keys = [hmac.digest(secret.encode(), f"{name} {use}".encode(), "sha256") for use in ("encrypt", "sign")]

    def sealed(self, value: Mapping[str, Any]) -> dict[str, str]:
        plain, nonce = json.dumps(value).encode(), secrets.token_bytes(16)
        hidden = nonce + self._combined(plain, nonce)
        text = _to_base64url(hidden + hmac.digest(self._keys[1], hidden, "sha256"))
        parts = [text[at : at + self._part] for at in range(0, len(text), self._part)]
        return {self._name if place == 0 else f"{self._name}.{place}": part for place, part in enumerate(parts)}

    def opened(self, cookie_header: Optional[str]) -> Optional[dict[str, Any]]:
        """None if there is no such cookie, or it is not one of these."""
        cookies = _cookies_of(cookie_header)
        text = "".join(cookies[name] for name in self.names_in(cookie_header))
        try:
            content = _from_base64url(text)
        except ValueError:
            return None
        hidden, tag = content[:-32], content[-32:]
        if len(hidden) < 16 or not hmac.compare_digest(tag, hmac.digest(self._keys[1], hidden, "sha256")):
            return None
        value = json.loads(self._combined(hidden[16:], hidden[:16]))
        return value if isinstance(value, dict) else None

    def names_in(self, cookie_header: Optional[str]) -> list[str]:
        cookies = _cookies_of(cookie_header)
        parts = (f"{self._name}.{place}" for place in range(1, 20))
        return [name for name in (self._name, *parts) if name in cookies]

    def _combined(self, text: bytes, nonce: bytes) -> bytes:
        blocks = range(-(-len(text) // 32))
        stream = b"".join(hmac.digest(self._keys[0], nonce + block.to_bytes(4, "big"), "sha256") for block in blocks)
        return bytes(a ^ b for a, b in zip(text, stream))


def _cookies_of(cookie_header: Optional[str]) -> dict[str, str]:
    # Only space and tab: to a browser, a name that begins with byte 0xA0 has no `__Host-` prefix, but strip() removes it.
    pairs = [[part.strip(" \t") for part in pair.split("=", 1)] for pair in (cookie_header or "").split(";") if "=" in pair]
    # A name that comes twice counts as none, because one of the two may be another host's.
    times = Counter(name for name, _ in pairs)
    return {name: value for name, value in pairs if times[name] == 1}


class ProvenCall(NamedTuple):
    """The call that brought a token with the scheme DPoP. `url`: as clients call it; behind a proxy, the public
    address. `proof`: the header DPoP."""

    method: str
    url: str
    proof: Optional[str]


#: How far the `iat` of a proof may be from now, either way.
_PROOF_SECONDS = 60
_PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}


def verify_proof(call: ProvenCall, access_token: str, *, now: Optional[float] = None) -> tuple[str, str]:
    """Checks a DPoP proof (RFC 9449, section 4.3) for a call with this access token, all but whether it was used before.
    Returns the thumbprint of its key, which is `cnf["jkt"]` of a token that is bound to it, and its `jti`. Raises
    `AuthsvcError` with INVALID_TOKEN, whatever a stranger wrote. Takes milliseconds, because it is in Python."""
    try:
        return _checked_proof(call, access_token, time.time() if now is None else now)
    except AuthsvcError:
        raise
    except Exception:
        raise _wrong_proof("the header DPoP must be one JWT") from None


def _checked_proof(call: ProvenCall, access_token: str, now: float) -> tuple[str, str]:
    parts = (call.proof or "").split(".")
    if len(parts) != 3 or len(call.proof or "") > 8192:
        raise _wrong_proof("the header DPoP must be one JWT")
    header, claims, signature = _object_in(parts[0]), _object_in(parts[1]), _from_base64url(parts[2])
    jwk, iat, jti = header.get("jwk"), claims.get("iat"), claims.get("jti")
    if header.get("typ") != "dpop+jwt" or "crit" in header:
        raise _wrong_proof("it is no proof (typ)")
    if not isinstance(jwk, dict) or _PRIVATE_MEMBERS & jwk.keys():
        raise _wrong_proof("it has no public key (jwk)")
    if not all(_is_sized(name, jwk[name]) for name in ("kty", "crv", *_KEY_LENGTHS) if name in jwk):
        raise _wrong_proof("its key is not supported (jwk)")
    jkt = _signer(header.get("alg"), jwk, f"{parts[0]}.{parts[1]}".encode(), signature)
    if jkt is None:
        raise _wrong_proof("its signature is wrong, or of an algorithm that is not supported")
    # Half a surrogate pair has no bytes.
    if not isinstance(jti, str) or not jti or re.search("[\ud800-\udfff]", jti):
        raise _wrong_proof("it has no jti")
    if claims.get("htm") != call.method:
        raise _wrong_proof("it is for another method (htm)")
    htu = claims.get("htu")
    # A URL is ASCII, without spaces and backslashes: parsers differ about the rest.
    is_url = isinstance(htu, str) and re.fullmatch(r"https?://[!-\[\]-~]+", htu, re.ASCII | re.IGNORECASE)
    if not is_url or _target(htu) is None or _target(htu) != _target(call.url):
        raise _wrong_proof("it is for another URL (htu)")
    # Compared, not subtracted: a number of 400 digits is no float.
    if type(iat) not in (int, float) or not now - _PROOF_SECONDS <= iat <= now + _PROOF_SECONDS:
        raise _wrong_proof("it is not of now (iat)")
    if claims.get("ath") != _to_base64url(hashlib.sha256(access_token.encode()).digest()):
        raise _wrong_proof("it is for another token (ath)")
    return jkt, jti


#: Of members of a key: 32 bytes of a curve, 8,192 bits of RSA, 32 bits of an exponent.
_KEY_LENGTHS = {"x": (43, 43), "y": (43, 43), "n": (342, 1366), "e": (1, 6)}


def _is_sized(name: str, value: Any) -> bool:
    least, most = _KEY_LENGTHS.get(name, (1, 10))
    return isinstance(value, str) and least <= len(value) <= most


class _Proofs:
    """Each proof counts once in this process, which remembers a limited number, of each key and in all."""

    def __init__(self) -> None:
        self._start_over()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._start_over)

    def _start_over(self) -> None:
        self._lock = threading.Lock()
        #: Whose they are, and until when they could be used again, in the order of arrival: all are kept equally long.
        self._used: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._counts: Counter[str] = Counter()

    def require(self, token: str, proving: ProvenCall) -> None:
        """The call must prove the key of the token, which was verified before, and must not have done so before."""
        jkt, jti = verify_proof(proving, token)
        cnf = _key_of(token)
        if not isinstance(cnf, dict) or jkt != cnf.get("jkt"):
            raise _wrong_proof("it is of another key (cnf)")
        now, key = time.time(), hashlib.sha256(f"{jkt} {jti}".encode()).hexdigest()
        with self._lock:
            # A proof of that second itself is still good.
            while self._used and next(iter(self._used.values()))[1] < now:
                _, (whose, _) = self._used.popitem(last=False)
                self._counts[whose] -= 1
                if not self._counts[whose]:
                    del self._counts[whose]
            if key in self._used:
                raise _wrong_proof("it was used before (jti)")
            # To forget one would let it be used again.
            if len(self._used) >= _MAX_PROOFS or self._counts[jkt] >= _MAX_PROOFS_OF_KEY:
                raise _wrong_proof("too many came at once")
            self._used[key] = (jkt, now + 2 * _PROOF_SECONDS)
            self._counts[jkt] += 1


def _wrong_proof(why: str) -> AuthsvcError:
    return AuthsvcError(401, "INVALID_TOKEN", f"The DPoP proof is wrong: {why}.")


def _target(url: str) -> Optional[str]:
    """A URL without query and fragment, normalized (RFC 3986, 6.2.2); None if it is none."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        return None
    path = re.sub(r"%[0-9A-Fa-f]{2}", lambda octet: _normal_octet(octet[0]), parts.path or "/")
    return f"{parts.scheme}://{parts.hostname}:{port}{_without_dots(path)}"


def _without_dots(path: str) -> str:
    """Without dot segments (RFC 3986, 5.2.4), as clients and the TypeScript package normalize it."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for place, segment in enumerate(segments):
        if segment == "..":
            del kept[-1:]
        if segment not in (".", ".."):
            kept.append(segment)
        elif place == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept)


def _normal_octet(octet: str) -> str:
    character = chr(int(octet[1:], 16))
    return character if re.fullmatch(r"[\w.~-]", character, re.ASCII) else octet.upper()


def _signer(alg: Any, jwk: Mapping[str, Any], signed: bytes, signature: bytes) -> Optional[str]:
    """The thumbprint (RFC 7638) of the key, if it made the signature."""
    def number(name: str) -> int:
        return int.from_bytes(_from_base64url(jwk[name]), "big")

    kty, crv = jwk.get("kty"), jwk.get("crv")
    if alg == "ES256" and kty == "EC" and crv == "P-256":
        point = (number("x"), number("y"))
        is_right = _verifies_p256(point, signed, signature)
        members = {"crv": crv, "kty": kty, **{name: _to_base64url(at.to_bytes(32, "big")) for name, at in zip("xy", point)}}
    elif alg in ("EdDSA", "Ed25519") and kty == "OKP" and crv == "Ed25519":
        public = _from_base64url(jwk["x"])
        is_right = _verifies_ed25519(public, signed, signature)
        members = {"crv": crv, "kty": kty, "x": _to_base64url(public)}
    elif alg in ("RS256", "PS256") and kty == "RSA":
        modulus, exponent = number("n"), number("e")
        is_right = _verifies_rsa(alg, modulus, exponent, signed, signature)
        sizes = {"e": exponent, "n": modulus}
        members = {"kty": kty, **{name: _to_base64url(one.to_bytes((one.bit_length() + 7) // 8, "big")) for name, one in sizes.items()}}
    else:
        return None
    thumbprint = json.dumps(members, sort_keys=True, separators=(",", ":")).encode()
    return _to_base64url(hashlib.sha256(thumbprint).digest()) if is_right else None


#: The curve P-256 (NIST SP 800-186): field, order, constant b, base point.
_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
_BASE = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
         0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5, 1)


def _verifies_p256(point: tuple[int, int], signed: bytes, signature: bytes) -> bool:
    x, y = point
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    is_on_curve = x < _P and y < _P and (y * y - x * x * x + 3 * x - _B) % _P == 0
    if not is_on_curve or len(signature) != 64 or not (0 < r < _N and 0 < s < _N):
        return False
    inverse = pow(s, -1, _N)
    u, v = int.from_bytes(hashlib.sha256(signed).digest(), "big") * inverse % _N, r * inverse % _N
    key = (x, y, 1)
    points = {(1, 0): _BASE, (0, 1): key, (1, 1): _p256_sum(_BASE, key)}
    total = (1, 1, 0)
    for bit in range(255, -1, -1):
        total = _p256_double(total)
        chosen = (u >> bit & 1, v >> bit & 1)
        if chosen in points:
            total = _p256_sum(total, points[chosen])
    return total[2] % _P != 0 and total[0] * pow(total[2], -2, _P) % _P % _N == r


def _p256_sum(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    """In Jacobian coordinates; z = 0 is the point at infinity."""
    (x1, y1, z1), (x2, y2, z2) = one, other
    if z1 == 0 or z2 == 0:
        return one if z2 == 0 else other
    square1, square2 = z1 * z1 % _P, z2 * z2 % _P
    u1, u2 = x1 * square2 % _P, x2 * square1 % _P
    s1, s2 = y1 * square2 * z2 % _P, y2 * square1 * z1 % _P
    if u1 == u2:
        return _p256_double(one) if s1 == s2 else (1, 1, 0)
    h, slope = (u2 - u1) % _P, (s2 - s1) % _P
    h2, h3 = h * h % _P, h * h * h % _P
    x = (slope * slope - h3 - 2 * u1 * h2) % _P
    return x, (slope * (u1 * h2 - x) - s1 * h3) % _P, h * z1 * z2 % _P


def _p256_double(point: tuple[int, int, int]) -> tuple[int, int, int]:
    x1, y1, z1 = point
    z2, y2 = z1 * z1 % _P, y1 * y1 % _P
    slope, shift = 3 * (x1 - z2) * (x1 + z2) % _P, 4 * x1 * y2 % _P
    x = (slope * slope - 2 * shift) % _P
    return x, (slope * (shift - x) - 8 * y2 * y2) % _P, 2 * y1 * z1 % _P


#: Edwards25519 (RFC 8032): field, order, constant d, a root of -1.
_Q = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _Q) % _Q
_ROOT = pow(2, (_Q - 1) // 4, _Q)


def _verifies_ed25519(public: bytes, signed: bytes, signature: bytes) -> bool:
    if len(public) != 32 or len(signature) != 64:
        return False
    key, commitment = _ed25519_point(public), _ed25519_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    base = _ed25519_point((4 * pow(5, -1, _Q) % _Q).to_bytes(32, "little"))
    if key is None or commitment is None or base is None or s >= _L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + signed).digest(), "little") % _L
    (x1, y1, z1, _), (x2, y2, z2, _) = _ed25519_times(base, s), _ed25519_sum(commitment, _ed25519_times(key, h))
    return (x1 * z2 - x2 * z1) % _Q == 0 and (y1 * z2 - y2 * z1) % _Q == 0


def _ed25519_point(text: bytes) -> Optional[tuple[int, int, int, int]]:
    y = int.from_bytes(text, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _Q) % _Q
    x = pow(square, (_Q + 3) // 8, _Q)
    x = x if x * x % _Q == square else x * _ROOT % _Q
    sign = text[31] >> 7
    if y >= _Q or x * x % _Q != square or (x == 0 and sign):
        return None
    x = x if x % 2 == sign else _Q - x
    return x, y, 1, x * y % _Q


def _ed25519_sum(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b, c, d = (y1 - x1) * (y2 - x2) % _Q, (y1 + x1) * (y2 + x2) % _Q, 2 * t1 * t2 * _D % _Q, 2 * z1 * z2 % _Q
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _Q, g * h % _Q, f * g % _Q, e * h % _Q


def _ed25519_times(point: tuple[int, int, int, int], factor: int) -> tuple[int, int, int, int]:
    total = (0, 1, 1, 0)
    for bit in bin(factor)[2:]:
        total = _ed25519_sum(total, total)
        if bit == "1":
            total = _ed25519_sum(total, point)
    return total


#: Of DigestInfo for SHA-256 (RFC 8017, 9.2).
_SHA256_INFO = bytes.fromhex("3031300d060960864801650304020105000420")


def _verifies_rsa(alg: str, modulus: int, exponent: int, signed: bytes, signature: bytes) -> bool:
    size = (modulus.bit_length() + 7) // 8
    number = int.from_bytes(signature, "big")
    if not 2048 <= modulus.bit_length() <= 8192 or exponent < 3 or exponent.bit_length() > 32:
        return False
    if len(signature) != size or number >= modulus:
        return False
    digest = hashlib.sha256(signed).digest()
    found = pow(number, exponent, modulus)
    if alg == "RS256":
        padded = b"\x00\x01" + b"\xff" * (size - len(_SHA256_INFO) - 35) + b"\x00" + _SHA256_INFO + digest
        return found.to_bytes(size, "big") == padded
    bits = modulus.bit_length() - 1
    if found.bit_length() > bits:
        return False
    encoded = found.to_bytes((bits + 7) // 8, "big")
    masked, tag = encoded[:-33], encoded[-33:-1]
    blocks = (hashlib.sha256(tag + count.to_bytes(4, "big")).digest() for count in range(-(-len(masked) // 32)))
    block = bytearray(a ^ b for a, b in zip(masked, b"".join(blocks)))
    block[0] &= 0xFF >> (8 * len(encoded) - bits)
    salt = bytes(block[-32:])
    is_padded = encoded[-1] == 0xBC and bytes(block[:-32]) == b"\x00" * (len(block) - 33) + b"\x01"
    return is_padded and hashlib.sha256(bytes(8) + digest + salt).digest() == tag


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes, *, now: Optional[float] = None) -> dict[str, Any]:
    """The event of a webhook (Standard Webhooks). `body`: the bytes as received. Raises ValueError if they are not
    signed with `secret`, or their time differs from this clock by more than five minutes."""
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        age = abs((time.time() if now is None else now) - int(re.fullmatch(r"\d{1,15}", timestamp, re.ASCII)[0]))
    except (KeyError, TypeError):
        raise ValueError("not a webhook: webhook-id, webhook-timestamp or webhook-signature is missing") from None
    key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
    expected = base64.b64encode(hmac.digest(key, f"{message}.{timestamp}.".encode() + body, "sha256")).decode()
    # Compares all signatures, so that the time reveals nothing.
    found = [hmac.compare_digest(f"v1,{expected}".encode(), one.encode()) for one in signatures.split(" ")]
    if not any(found):
        raise ValueError("the signature of this webhook is wrong")
    if age > 300:
        raise ValueError("the time of this webhook differs from this clock by more than five minutes")
    return json.loads(body)
