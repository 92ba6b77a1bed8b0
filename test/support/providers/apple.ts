/** A part of a JWT, unverified; empty if there is none. */
export function decodedPart(token: string, part: number): Record<string, unknown> {
  const text = Buffer.from(token.split(".")[part] ?? "", "base64url").toString();
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** OAuth 2.0 Form Post Response Mode: a page that sends itself. */
export function formPost(action: string, fields: Record<string, string>): string {
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}" />`,
  );
  const head = '<head><title>Apple</title><link rel="icon" href="data:,"></head>';
  return `<!doctype html><html lang="en">${head}<body onload="document.forms[0].submit()">
    <form method="post" action="${escaped(action)}">${inputs.join("")}</form></body></html>`;
}
