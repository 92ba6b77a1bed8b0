"""An API in Flask that other programs call with tokens. Run: flask --app flask_api run --port 3000"""

from authsvc import Authsvc, ProtectedResource, Reply
from flask import Flask, Response, g, request

app = Flask(__name__)
api = ProtectedResource(Authsvc.from_environment(), "http://localhost:3000/orders", ["orders:read", "orders:write"])


def answer(reply: Reply) -> Response:
    return Response(reply.body, reply.status, reply.headers)


@app.before_request
def protect():
    described = api.metadata(request.path)
    if described is not None:
        return answer(described)
    # What does not only read needs to write, also by a method that is added later.
    needed = ["orders:read"] if request.method in ("GET", "HEAD") else ["orders:write"]
    headers = request.headers
    g.access, refusal = api.require(
        request.method, request.path, headers.get("Authorization"), headers.get("DPoP"), scopes=needed
    )
    return refusal and answer(refusal)


@app.get("/orders")
def orders():
    return {"user": g.access.claims["sub"], "program": g.access.client_id}


@app.post("/orders")
def order():
    return {"ordered": True}
