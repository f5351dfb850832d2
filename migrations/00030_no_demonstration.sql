-- +goose Up
-- Synthetic outlines, parcels and layers are no longer made, nor told apart from real ones: what an earlier version made goes. The column
-- geo.load.demonstration stays for that version, which may still be running; a later release drops it.
-- +goose StatementBegin
DO $$
DECLARE
    layer text;
BEGIN
    IF NOT EXISTS (SELECT FROM geo.load WHERE demonstration) THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM geo.load WHERE demonstration AND active AND source = 'contours-communes') THEN
        DELETE FROM geo.commune_contour;
        DELETE FROM geo.departement_contour;
        DELETE FROM geo.region_contour;
    END IF;
    DELETE FROM geo.parcelle p USING geo.parcelle_commune c JOIN geo.load l ON l.id = c.load_id
    WHERE l.demonstration AND p.idu BETWEEN c.code AND c.code || 'ZZZZZZZZZ';
    DELETE FROM geo.parcelle_commune c USING geo.load l WHERE l.id = c.load_id AND l.demonstration;
    IF EXISTS (SELECT FROM geo.load WHERE demonstration AND source LIKE 'demonstration-%') THEN
        FOR layer IN
            SELECT format('geo.%I', c.relname) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'part'
            WHERE c.relnamespace = 'geo'::regnamespace AND c.relkind = 'r'
            ORDER BY c.relname
        LOOP
            EXECUTE 'DELETE FROM ' || layer || ' WHERE part = ''demonstration''';
        END LOOP;
    END IF;
    DELETE FROM geo.load WHERE demonstration;
END
$$;
-- +goose StatementEnd

-- +goose Down
