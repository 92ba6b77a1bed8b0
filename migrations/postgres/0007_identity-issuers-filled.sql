-- in batches
-- As `directoryOf` in src/oauth/provider.ts: the issuer, or the host of the userinfo, of the application's own setting or of the table.
WITH batch AS (
  SELECT id FROM oauth_identities WHERE id > $1 ORDER BY id LIMIT 2000
), filled AS (
  UPDATE oauth_identities
    SET issuer = COALESCE(
    (SELECT rtrim(p.issuer, '/') FROM oauth_providers p WHERE p.app_id = oauth_identities.app_id AND p.name = oauth_identities.provider),
    CASE provider
      WHEN 'google' THEN 'https://accounts.google.com'
      WHEN 'microsoft' THEN 'https://login.microsoftonline.com/{tenantid}/v2.0'
      WHEN 'apple' THEN 'https://appleid.apple.com'
    END,
    (SELECT regexp_replace(lower(substring(p.userinfo_url from '^[A-Za-z]+://([^/?]+)')), CASE WHEN p.userinfo_url ILIKE 'https:%' THEN ':443$' ELSE ':80$' END, '')
      FROM oauth_providers p WHERE p.app_id = oauth_identities.app_id AND p.name = oauth_identities.provider),
    CASE provider
      WHEN 'github' THEN 'api.github.com'
      WHEN 'discord' THEN 'discord.com'
      WHEN 'facebook' THEN 'graph.facebook.com'
    END,
    ''
  )
    FROM batch WHERE oauth_identities.id = batch.id AND oauth_identities.issuer = ''
)
SELECT max(id) AS last FROM batch;
