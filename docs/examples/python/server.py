# Sign-in with authsvc for a server in Python 3.9 or newer, without a library:
#   AUTHSVC_APP_ID=app_… AUTHSVC_API_KEY=ak_… python3 server.py
import json, os, secrets, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

AUTHSVC_ISSUER = os.environ.get("AUTHSVC_ISSUER", "http://localhost:8080")
APP_URL = os.environ.get("APP_URL", "http://localhost:3000")
APP_ID, API_KEY = os.environ["AUTHSVC_APP_ID"], os.environ["AUTHSVC_API_KEY"]
# With this prefix, no other host of your domain can set the cookies. Browsers refuse it on http.
PREFIX = "__Host-" if APP_URL.startswith("https:") else ""

# Who is signed in, by the cookie `session`. In memory for the example: yours belong where your sessions are.
sessions = {}


def call(method, path, body=None, bearer=API_KEY):
    """One call of the service, with the API key or with a user's access token: the status and the answer."""
    headers = {"Authorization": f"Bearer {bearer}", "X-Service-App-ID": APP_ID, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(
            urllib.request.Request(AUTHSVC_ISSUER + path, data, headers, method=method), timeout=10
        ) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except OSError:
        return 502, {"error": {"message": "The sign-in service does not answer."}}


def user_of(session):
    """Who is asking; refreshes what has expired. None: nobody is signed in (any more)."""
    tokens = sessions.get(session)
    if tokens is None:
        return None
    status, answer = call("GET", "/auth/validate", bearer=tokens["accessToken"])
    if status == 401:
        status, tokens = call("POST", "/auth/refresh", {"refreshToken": tokens["refreshToken"]})
        if status == 401:
            sessions.pop(session, None)
        if status != 200:
            return None
        sessions[session] = tokens
        status, answer = call("GET", "/auth/validate", bearer=tokens["accessToken"])
    # A token with a clientId belongs to an OpenID Connect client of this app: maybe another party's program.
    return answer["user"] if status == 200 and "clientId" not in answer else None


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, text = self.path.partition("?")
        query = dict(parse_qsl(text))
        if path == "/":
            self.answer(
                200,
                b'<a href="/login">Sign in</a> <a href="/me">Me</a>'
                b'<form method="post" action="/logout"><button>Sign out</button></form>',
                "text/html",
            )
        elif path == "/login":
            # `state` ties the answer to this browser: nobody can slip their own sign-in to somebody else.
            state = secrets.token_urlsafe(32)
            status, answer = call("POST", "/auth/initiate", {"redirectUri": APP_URL + "/callback", "state": state})
            if status != 200:
                return self.json(502, {"error": answer["error"]["message"]})
            self.redirect(answer["authUrl"], self.cookie("state", state, 600))
        elif path == "/callback":
            state = query.get("state", "")
            if not state or not secrets.compare_digest(state.encode(), (self.cookie_of("state") or "").encode()):
                return self.json(400, {"error": "This sign-in was not started here."})
            if "error" in query:
                return self.redirect("/", self.cookie("state", "", 0))
            body = {"code": query.get("code", ""), "state": state, "sessionId": query.get("sessionId", "")}
            status, tokens = call("POST", "/auth/callback", body)
            if status != 200:
                return self.json(400, {"error": "The sign-in has timed out. Start again."})
            session = secrets.token_urlsafe(32)
            sessions[session] = tokens
            self.redirect("/me", self.cookie("state", "", 0), self.cookie("session", session, 30 * 86_400))
        elif path == "/me":
            user = user_of(self.cookie_of("session"))
            if user is None:
                return self.json(401, {"error": "Nobody is signed in."})
            self.json(200, {"id": user["id"], "email": user["email"]})
        else:
            self.json(404, {"error": "Not found."})

    def do_POST(self):
        if self.path != "/logout":
            return self.json(404, {"error": "Not found."})
        session = self.cookie_of("session")
        # An expired access token cannot sign out; user_of has refreshed it.
        if user_of(session):
            call("POST", "/auth/logout", {}, bearer=sessions[session]["accessToken"])
        sessions.pop(session, None)
        self.redirect("/", self.cookie("session", "", 0))

    def cookie_of(self, name):
        # Exactly as browsers send them: `strip` or SimpleCookie would also accept names that only look like ours.
        start = f"{PREFIX}{name}="
        values = [pair[len(start):] for pair in self.headers.get("Cookie", "").split("; ") if pair.startswith(start)]
        return values[0] if len(values) == 1 else None

    def cookie(self, name, value, seconds):
        secure = "; Secure" if PREFIX else ""
        return f"{PREFIX}{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}"

    def redirect(self, location, *cookies):
        self.send_response(303)
        self.send_header("Location", location)
        for cookie in cookies:
            self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def json(self, status, body):
        self.answer(status, json.dumps(body).encode(), "application/json")

    def answer(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing: addresses of requests hold codes."""


server = ThreadingHTTPServer(("127.0.0.1", urlsplit(APP_URL).port or 80), Handler)
print(f"listening on {APP_URL}", flush=True)
server.serve_forever()
