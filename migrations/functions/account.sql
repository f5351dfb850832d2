-- Notifies every instance of a change of an account or a key.
CREATE OR REPLACE FUNCTION account.tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed record := coalesce(NEW, OLD);
BEGIN
    IF TG_TABLE_NAME = 'account' THEN
        PERFORM pg_notify('arpent_account', changed.id::text);
    ELSE
        PERFORM pg_notify('arpent_account', changed.account_id::text);
    END IF;
    RETURN NULL;
END
$$;

-- Keeps the audit record append-only: an update may only blank what identifies a person.
CREATE OR REPLACE FUNCTION account.keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.detail = '{}' AND NEW.address IS NULL AND NEW.agent IS NULL
        AND (NEW.id, NEW.account_id, NEW.at, NEW.actor, NEW.action) = (OLD.id, OLD.account_id, OLD.at, OLD.actor, OLD.action) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit record is append-only';
END
$$;

-- The account that this connection acts for; null: for the service.
CREATE OR REPLACE FUNCTION account.acting() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT nullif(current_setting('arpent.account', true), '')::bigint
$$;
