DO $$
BEGIN
  IF NOT row_security_active('articles') THEN
    RAISE EXCEPTION 'drafts are shown to %', current_user;
  END IF;
  IF current_setting('transaction_read_only') <> 'on' THEN
    RAISE EXCEPTION '% may write', current_user;
  END IF;
END
$$;
