INSERT INTO user_search (user_id, app_id, created_at, fold) SELECT id, app_id, created_at, 0 FROM users WHERE true
  ON CONFLICT (user_id) DO NOTHING;
