CREATE TABLE IF NOT EXISTS articles (
  id        BIGSERIAL PRIMARY KEY,
  title     TEXT NOT NULL,
  published BOOLEAN NOT NULL DEFAULT false
);

-- The table's owner is beside the policy. Everybody else sees no row that no policy shows.
ALTER TABLE articles ENABLE ROW LEVEL SECURITY;

-- The read-only role is a member of pg_read_all_data.
DROP POLICY IF EXISTS published ON articles;
CREATE POLICY published ON articles FOR SELECT TO pg_read_all_data USING (published);
