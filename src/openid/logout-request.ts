/** A logout request (OpenID Connect RP-Initiated Logout 1.0 §2). */
export type LogoutRequest = {
  idTokenHint: string | undefined;
  clientId: string | undefined;
  postLogoutRedirectUri: string | undefined;
  state: string | undefined;
  uiLocales: string | undefined;
};

/**
 * The longest value of each parameter. `logout_hint` is not needed: the cookie identifies the user.
 */
const longest = {
  id_token_hint: 8192,
  client_id: 256,
  post_logout_redirect_uri: 2048,
  state: 2048,
  logout_hint: 2048,
  ui_locales: 256,
};

/** The request, or its error. Empty parameters count as omitted; others are ignored. */
export function logoutRequest(pairs: readonly (readonly [string, string])[]): LogoutRequest | { problem: string } {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!isOurs(name)) continue;
    if (values.has(name)) return { problem: `${name}: given twice` };
    if (value.length > longest[name]) return { problem: `${name}: at most ${longest[name]} characters` };
    values.set(name, value);
  }
  const parameter = (name: keyof typeof longest): string | undefined => {
    const value = values.get(name);
    return value === "" ? undefined : value;
  };
  return {
    idTokenHint: parameter("id_token_hint"),
    clientId: parameter("client_id"),
    postLogoutRedirectUri: parameter("post_logout_redirect_uri"),
    state: parameter("state"),
    uiLocales: parameter("ui_locales"),
  };
}

function isOurs(name: string): name is keyof typeof longest {
  return Object.hasOwn(longest, name);
}
