import { createServer } from "node:http";

// The baseline: node:http alone, answering the bytes of a validate.
const body = JSON.stringify({
  valid: true,
  user: { id: "usr_01kagfk3wz8ye9ah6v5cbs0rx9", email: "person1@example.org", emailVerified: false, name: null },
  scopes: ["profile", "email"],
  expiresAt: new Date().toISOString(),
});

const server = createServer((_request, response) => {
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
});
