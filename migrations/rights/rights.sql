-- Rights of the roles, in addition to the user that migrates, which owns everything but what is handed over here:
--   arpent_serve  reads geo, writes account, works through job
--   arpent_load   owns the tables of geo, leaves mails in job, and reads nothing of job and account
--   arpent_read   reads geo
-- They cannot log in: the user of the database's address takes the role on each connection, or is a user of its own that is a member.
DO $$
DECLARE
    name text;
    t record;
BEGIN
    FOREACH name IN ARRAY ARRAY['arpent_read', 'arpent_serve', 'arpent_load'] LOOP
        IF to_regrole(name) IS NULL THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- made for another database of this server meanwhile
            END;
        END IF;
        -- The user that migrates hands tables over, which takes being a member. A superuser is one of every role.
        IF NOT pg_has_role(current_user, name, 'MEMBER') THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', name);
        END IF;
    END LOOP;

    GRANT USAGE, CREATE ON SCHEMA geo TO arpent_load;
    GRANT USAGE ON SCHEMA geo TO arpent_read, arpent_serve;
    FOR t IN SELECT c.relname, c.relkind FROM pg_class c WHERE c.relnamespace = 'geo'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
        AND pg_get_userbyid(c.relowner) <> 'arpent_load' LOOP
        EXECUTE format('ALTER TABLE geo.%I OWNER TO arpent_load', t.relname);
        COMMIT; -- each table is locked for a moment, and none while another is waited for
    END LOOP;
    GRANT SELECT ON ALL TABLES IN SCHEMA geo TO arpent_read, arpent_serve;
    ALTER DEFAULT PRIVILEGES FOR ROLE arpent_load IN SCHEMA geo GRANT SELECT ON TABLES TO arpent_read, arpent_serve;
    -- A version that knows no roles loads as the user who migrates, while this one serves already.
    ALTER DEFAULT PRIVILEGES IN SCHEMA geo GRANT SELECT ON TABLES TO arpent_read, arpent_serve;

    -- River rebuilds its indexes, which takes owning its tables.
    GRANT USAGE, CREATE ON SCHEMA job TO arpent_serve;
    FOR t IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'job'::regnamespace AND c.relkind IN ('r', 'p')
        AND pg_get_userbyid(c.relowner) <> 'arpent_serve' LOOP
        EXECUTE format('ALTER TABLE job.%I OWNER TO arpent_serve', t.relname);
        COMMIT;
    END LOOP;

    -- An update that leaves a source unchanged sends the operator a mail.
    GRANT USAGE ON SCHEMA job TO arpent_load;
    GRANT INSERT ON job.river_job TO arpent_load;
    GRANT USAGE ON SEQUENCE job.river_job_id_seq TO arpent_load;

    GRANT SELECT ON goose_db_version TO arpent_serve; -- a server starts on the schema of its version alone

    GRANT USAGE ON SCHEMA account TO arpent_serve;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA account TO arpent_serve;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA account TO arpent_serve;
    -- What is done for one account sees that account alone, whatever the statement says. The owner of the tables sees everything.
    FOR t IN SELECT c.oid::regclass AS name, CASE WHEN c.relname = 'account' THEN 'id' ELSE 'account_id' END AS key
        FROM pg_class c WHERE c.relnamespace = 'account'::regnamespace AND c.relkind IN ('r', 'p')
        AND (c.relname = 'account' OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped))
        AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'one_account') LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t.name);
        EXECUTE format('CREATE POLICY one_account ON %s USING ((SELECT account.acting()) IS NULL OR %I = (SELECT account.acting()))', t.name, t.key);
        COMMIT;
    END LOOP;
END
$$;
