-- Notifies every instance that a load was recorded or became the active one.
CREATE OR REPLACE FUNCTION geo.tell_load() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('arpent_geo', NEW.source);
    RETURN NULL;
END
$$;
