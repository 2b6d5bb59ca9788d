-- Who may log in.
CREATE TABLE IF NOT EXISTS accounts (
    id bigint PRIMARY KEY,
    mail text NOT NULL UNIQUE -- lower-cased
);

CREATE INDEX accounts_mail ON accounts (mail);

CREATE VIEW active_accounts AS
SELECT id, mail FROM accounts WHERE mail <> '';

CREATE OR REPLACE FUNCTION touch(account bigint) RETURNS void AS $$
BEGIN
    UPDATE accounts SET mail = lower(mail) WHERE id = account;
END;
$$ LANGUAGE plpgsql;
