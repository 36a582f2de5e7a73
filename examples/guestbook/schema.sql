CREATE TABLE IF NOT EXISTS guestbook_entries (
  id         BIGSERIAL   PRIMARY KEY,
  user_id    UUID        NOT NULL,
  email      TEXT        NOT NULL,
  message    TEXT        NOT NULL CHECK (char_length(message) BETWEEN 1 AND 500),
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
