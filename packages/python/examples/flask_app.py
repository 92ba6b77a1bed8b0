"""People sign in to this Flask application. Run: flask --app flask_app run --port 3000"""

from authsvc import Authsvc, Reply, WebSignIn
from flask import Flask, Response, request
from markupsafe import escape

app = Flask(__name__)
web = WebSignIn(Authsvc.from_environment(), "http://localhost:3000/callback")


def answer(reply: Reply) -> Response:
    return Response(reply.body, reply.status, reply.headers)


@app.get("/login")
def login() -> Response:
    forwarded_for = request.headers.get("X-Forwarded-For")
    to = request.args.get("to", "/")
    return answer(web.start(return_to=to, peer=request.remote_addr, forwarded_for=forwarded_for))


@app.get("/callback")
def callback() -> Response:
    return answer(web.finish(request.args, request.headers.get("Cookie")))


@app.post("/logout")
def logout() -> Response:
    headers = request.headers
    return answer(web.logout(headers.get("Cookie"), headers.get("Origin"), fetch_site=headers.get("Sec-Fetch-Site")))


@app.get("/")
def home() -> Response:
    user, headers = web.user(request.headers.get("Cookie"))
    if user is None:
        return Response('<a href="/login">Sign in</a>', headers=headers, mimetype="text/html")
    page = f'<p>Hello {escape(user["email"])}</p><form method="post" action="/logout"><button>Sign out</button></form>'
    return Response(page, headers=headers, mimetype="text/html")
