-- Everything is made only where it is missing, so that each start may run it.
CREATE SCHEMA IF NOT EXISTS auth;

-- An account without an e-mail address is an anonymous one. An empty
-- encrypted_password is no password: the owner signs in by mail, or was invited.
CREATE TABLE IF NOT EXISTS auth.users (
  id                     UUID        PRIMARY KEY DEFAULT gen_random_uuid(),
  email                  TEXT        UNIQUE,
  encrypted_password     TEXT        NOT NULL DEFAULT '',
  role                   TEXT        NOT NULL DEFAULT 'authenticated',
  user_metadata          JSONB       NOT NULL DEFAULT '{}',
  app_metadata           JSONB       NOT NULL DEFAULT '{}',
  identity_id            UUID        NOT NULL DEFAULT gen_random_uuid(),
  is_anonymous           BOOLEAN     NOT NULL DEFAULT false,
  email_confirmed_at     TIMESTAMPTZ,
  invited_at             TIMESTAMPTZ,
  confirmation_sent_at   TIMESTAMPTZ,
  recovery_sent_at       TIMESTAMPTZ,
  reauthentication_sent_at TIMESTAMPTZ,
  -- The address that the account is to have once both are confirmed, and
  -- whether one of the two is.
  new_email              TEXT        NOT NULL DEFAULT '',
  email_change_sent_at   TIMESTAMPTZ,
  email_change_half_done BOOLEAN     NOT NULL DEFAULT false,
  created_at             TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at             TIMESTAMPTZ NOT NULL DEFAULT now(),
  last_sign_in_at        TIMESTAMPTZ,
  banned_until           TIMESTAMPTZ,
  deleted_at             TIMESTAMPTZ
);

-- method is how the session began, as its tokens say.
CREATE TABLE IF NOT EXISTS auth.sessions (
  id         UUID        PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id    UUID        NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  method     TEXT        NOT NULL,
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

-- What a mail carries: a link's token and a short code, of which either works,
-- once. A newer mail of a kind ends the older one. code_challenge is set where
-- the browser that asked for the mail is to have the session, and no other.
CREATE TABLE IF NOT EXISTS auth.one_time_tokens (
  hash           BYTEA       PRIMARY KEY,
  code_hash      BYTEA       NOT NULL,
  user_id        UUID        NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  kind           TEXT        NOT NULL,
  sent_to        TEXT        NOT NULL,
  code_challenge TEXT        NOT NULL DEFAULT '',
  created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
  UNIQUE (user_id, kind)
);

-- A link that was followed, and that the browser which asked for it has not
-- exchanged for a session yet.
CREATE TABLE IF NOT EXISTS auth.flow_states (
  code_hash      BYTEA       PRIMARY KEY,
  user_id        UUID        NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  method         TEXT        NOT NULL,
  code_challenge TEXT        NOT NULL,
  created_at     TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- The owner, whom the engine and the app are, sees all of it. The role that
-- reads everything reads nothing here: these are passwords' hashes and tokens.
DO $$
DECLARE
  open regclass;
BEGIN
  FOR open IN SELECT oid FROM pg_class WHERE relnamespace = 'auth'::regnamespace AND relkind = 'r' AND NOT relrowsecurity LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', open);
  END LOOP;
END $$;

-- PostgreSQL keeps samples of a column's values for its planner, which row level security
-- does not hide from a role that reads everything. Of these columns it keeps none.
DO $$
DECLARE
  sampled record;
BEGIN
  FOR sampled IN SELECT attrelid::regclass AS open, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'auth'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped AND COALESCE(attstattarget, -1) <> 0 LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', sampled.open, sampled.attname);
  END LOOP;
END $$;
