-- As `directoryOf` in src/oauth/provider.ts: the issuer, or the host of the userinfo, of the application's own setting or of the table.
UPDATE oauth_identities
  SET issuer = COALESCE(
    (SELECT rtrim(p.issuer, '/') FROM oauth_providers p WHERE p.app_id = oauth_identities.app_id AND p.name = oauth_identities.provider),
    CASE provider
      WHEN 'google' THEN 'https://accounts.google.com'
      WHEN 'microsoft' THEN 'https://login.microsoftonline.com/{tenantid}/v2.0'
      WHEN 'apple' THEN 'https://appleid.apple.com'
    END,
    (SELECT lower(substr(rest, 1, instr(rest, '/') - 1)) FROM (
      SELECT replace(
        replace(substr(p.userinfo_url, instr(p.userinfo_url, '://') + 3), '?', '/') || '/',
        CASE WHEN lower(p.userinfo_url) LIKE 'https:%' THEN ':443/' ELSE ':80/' END,
        '/'
      ) AS rest
      FROM oauth_providers p WHERE p.app_id = oauth_identities.app_id AND p.name = oauth_identities.provider AND p.userinfo_url IS NOT NULL
    )),
    CASE provider
      WHEN 'github' THEN 'api.github.com'
      WHEN 'discord' THEN 'discord.com'
      WHEN 'facebook' THEN 'graph.facebook.com'
    END,
    ''
  );
