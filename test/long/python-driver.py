"""Calls functions of the package: a JSON line each in, a JSON line each out."""

import json
import sys

import authsvc

arguments = json.loads(sys.argv[1])
client = authsvc.Authsvc(arguments["issuer"], arguments["appId"], arguments["apiKey"], staleness=arguments["staleness"])
limits = {}


def web():
    return authsvc.WebSignIn(client, arguments["redirectUri"], "a secret of the tests, 32 characters or more")


for line in sys.stdin:
    asked = json.loads(line)
    try:
        if asked["call"] == "verify_webhook":
            secret, headers, body = asked["arguments"]
            answer = authsvc.verify_webhook(secret, headers, body.encode())
        elif asked["call"] == "allow":
            client.allowed_clients = frozenset(asked["arguments"][0])
            answer = None
        elif asked["call"] == "start":
            proxies, peer, forwarded_for = asked["arguments"]
            limit = limits.setdefault(proxies, authsvc._StartLimit(proxies))
            answer = limit.count(peer, forwarded_for)
        elif asked["call"] == "web_cookies":
            answer = web()._login_cookies(*asked["arguments"])
        elif asked["call"] == "web_user":
            answer = web().user(*asked["arguments"])
        else:
            answer = getattr(client, asked["call"])(*asked["arguments"], **asked["named"])
        print(json.dumps({"answer": answer}), flush=True)
    except authsvc.AuthsvcError as error:
        print(json.dumps({"error": error.code, "status": error.status}), flush=True)
    except ValueError as error:
        print(json.dumps({"error": str(error)}), flush=True)
