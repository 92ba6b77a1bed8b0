"""People sign in to this FastAPI application. Run: uvicorn fastapi_app:app --port 3000"""

from html import escape

from authsvc import Authsvc, Reply, WebSignIn
from fastapi import FastAPI, Request, Response

app = FastAPI()
web = WebSignIn(Authsvc.from_environment(), "http://localhost:3000/callback")


def answer(reply: Reply) -> Response:
    response = Response(reply.body, reply.status)
    for name, value in reply.headers:
        response.headers.append(name, value)
    return response


# FastAPI runs functions without `async` in threads, so a call to the service blocks no other request.
@app.get("/login")
def login(request: Request, to: str = "/") -> Response:
    peer = request.client.host if request.client else None
    return answer(web.start(return_to=to, peer=peer, forwarded_for=request.headers.get("x-forwarded-for")))


@app.get("/callback")
def callback(request: Request) -> Response:
    return answer(web.finish(request.query_params, request.headers.get("cookie")))


@app.post("/logout")
def logout(request: Request) -> Response:
    headers = request.headers
    return answer(web.logout(headers.get("cookie"), headers.get("origin"), fetch_site=headers.get("sec-fetch-site")))


@app.get("/")
def home(request: Request) -> Response:
    user, headers = web.user(request.headers.get("cookie"))
    page = '<a href="/login">Sign in</a>'
    if user is not None:
        page = f'<p>Hello {escape(user["email"])}</p><form method="post" action="/logout"><button>Sign out</button></form>'
    return answer(Reply(200, [("Content-Type", "text/html; charset=utf-8"), *headers], page))
