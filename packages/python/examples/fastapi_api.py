"""An API in FastAPI that other programs call with tokens. Run: uvicorn fastapi_api:app --port 3000"""

from json import loads
from typing import Annotated

from authsvc import Access, Authsvc, ProtectedResource
from fastapi import Depends, FastAPI, HTTPException, Request, Response

app = FastAPI()
api = ProtectedResource(Authsvc.from_environment(), "http://localhost:3000/orders", ["orders:read", "orders:write"])


# FastAPI runs functions without `async` in threads, so a call to the service blocks no other request.
def require(*scopes: str):
    def access(request: Request) -> Access:
        # The path of the scope: that of `url` also depends on the header Host, which the sender chooses.
        path, headers = request.scope["path"], request.headers
        proof = ", ".join(headers.getlist("dpop")) or None
        admitted, refusal = api.require(request.method, path, headers.get("authorization"), proof, scopes=scopes)
        if refusal is not None:
            raise HTTPException(refusal.status, loads(refusal.body), dict(refusal.headers))
        return admitted

    return Depends(access)


@app.api_route("/.well-known/oauth-protected-resource{rest:path}", methods=["GET", "OPTIONS"])
def metadata(request: Request) -> Response:
    reply = api.metadata(request.scope["path"])
    return Response(status_code=404) if reply is None else Response(reply.body, reply.status, dict(reply.headers))


@app.get("/orders")
def orders(access: Annotated[Access, require("orders:read")]) -> dict:
    return {"user": access.claims["sub"], "program": access.client_id}


@app.post("/orders")
def order(access: Annotated[Access, require("orders:write")]) -> dict:
    return {"ordered": True}
