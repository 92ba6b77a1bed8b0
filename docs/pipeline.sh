#!/bin/sh
# From nothing to a configured service with two applications, without a question being asked. Run again, it changes nothing.
#
# In the environment: SHOP_API_KEY, BLOG_API_KEY and GRAFANA_CLIENT_SECRET (at least 32 letters and digits each: what the
# applications' servers and Grafana send) and GITHUB_CLIENT_SECRET. Secrets stand in no file and on no command line.
set -eu

cat > config.yaml <<'YAML'
baseUrl: https://auth.example.com
# The proxy on this machine that holds the certificate.
trustedProxies: [127.0.0.1]
YAML

cat > applications.yaml <<'YAML'
version: 1
applications:
  - id: app_shop
    name: My shop
    redirectUris: [https://shop.example.com/callback]
    authMethods:
      passkey: { enabled: true }
      password: { enabled: true }
      oauth: { enabled: true }
    branding: { primaryColor: "#336699", companyName: My shop }
    scopes: [profile, email, groups]
    groups: [staff, admins]
    claims: [{ claim: roles, from: groups, in: [access, id, userinfo] }]
    apiKeys: [{ value: env:SHOP_API_KEY }]
    clients:
      - id: grafana
        name: Grafana
        redirectUris: [https://grafana.example.com/login/generic_oauth]
        scopes: [openid, profile, email, groups]
        allowedGroups: [staff, admins]
        secrets: [{ value: env:GRAFANA_CLIENT_SECRET }]
    providers:
      - { name: github, clientId: Iv1.8a61f9b3a7aba766, clientSecret: env:GITHUB_CLIENT_SECRET }
  - id: app_blog
    name: My blog
    redirectUris: [https://blog.example.com/callback]
    authMethods:
      passkey: { enabled: true, required: true }
      password: { enabled: true }
    signUp: closed
    apiKeys: [{ value: env:BLOG_API_KEY }]
YAML

authsvc apply applications.yaml

# The first person gets a mail with a link to choose a passkey or a password. Without a mail server, the link is printed here.
authsvc user show --app app_shop --email ada@example.com >/dev/null 2>&1 ||
  authsvc user invite --app app_shop --email ada@example.com --name Ada
ada=$(authsvc user show --app app_shop --email ada@example.com --json | grep -o 'usr_[0-9a-z]*' | head -n 1)
authsvc group add admins "$ada" --app app_shop

# A later stage, such as a nightly one: ends with 5 when somebody has changed something by hand.
authsvc plan applications.yaml --detailed-exitcode
