-- Everything is made only where it is missing, so that each start may run it.
CREATE SCHEMA IF NOT EXISTS auth;

CREATE TABLE IF NOT EXISTS auth.users (
  id                 UUID        PRIMARY KEY DEFAULT gen_random_uuid(),
  email              TEXT        NOT NULL UNIQUE,
  encrypted_password TEXT        NOT NULL,
  user_metadata      JSONB       NOT NULL DEFAULT '{}',
  created_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
  last_sign_in_at    TIMESTAMPTZ
);

CREATE TABLE IF NOT EXISTS auth.sessions (
  id         UUID        PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id    UUID        NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS sessions_user_id ON auth.sessions (user_id);

-- A token that has been used stays for as long as its session, so that its
-- second use is noticed.
CREATE TABLE IF NOT EXISTS auth.refresh_tokens (
  hash       BYTEA       PRIMARY KEY,
  session_id UUID        NOT NULL REFERENCES auth.sessions ON DELETE CASCADE,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  used_at    TIMESTAMPTZ
);
CREATE INDEX IF NOT EXISTS refresh_tokens_session_id ON auth.refresh_tokens (session_id);

CREATE TABLE IF NOT EXISTS auth.one_time_tokens (
  hash       BYTEA       PRIMARY KEY,
  user_id    UUID        NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  kind       TEXT        NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
