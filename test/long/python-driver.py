"""Calls functions of the package: a JSON line each in, a JSON line each out."""

import json
import sys

import authsvc

arguments = json.loads(sys.argv[1])
client = authsvc.Authsvc(arguments["issuer"], arguments["appId"], arguments["apiKey"], staleness=arguments["staleness"])
for line in sys.stdin:
    asked = json.loads(line)
    try:
        if asked["call"] == "verify_webhook":
            secret, headers, body = asked["arguments"]
            answer = authsvc.verify_webhook(secret, headers, body.encode())
        else:
            answer = getattr(client, asked["call"])(*asked["arguments"], **asked["named"])
        print(json.dumps({"answer": answer}), flush=True)
    except authsvc.AuthsvcError as error:
        print(json.dumps({"error": error.code, "status": error.status}), flush=True)
    except ValueError as error:
        print(json.dumps({"error": str(error)}), flush=True)
