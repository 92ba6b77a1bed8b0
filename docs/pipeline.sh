#!/bin/sh
# From nothing to a configured service with two applications, without a question being asked. Run again, it changes nothing.
#
# In the environment: SHOP_API_KEY and BLOG_API_KEY (at least 32 letters and digits each: the keys that the applications' servers
# send) and GITHUB_CLIENT_SECRET. Secrets stand in no file and on no command line.
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
    apiKeys: [{ value: env:SHOP_API_KEY }]
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

# A later stage, such as a nightly one: ends with 5 when somebody has changed something by hand.
authsvc plan applications.yaml --detailed-exitcode
