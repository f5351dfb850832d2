-- The parcels that the references of a condominium name, of those that exist: where its commune is not loaded
-- whole a reference is taken as it is. The register writes Paris and Lyon with the code of the city and the
-- arrondissement as prefix: 75056102AE0032 is 75102000AE0032. Marseille has prefixes of its own, from 801 on:
-- a reference lacks them or the arrondissement, and is taken where one parcel fits. insee is the commune or
-- the arrondissement of the address.
CREATE OR REPLACE FUNCTION geo.condominium_parcels(refs text[], insee text) RETURNS text[]
LANGUAGE plpgsql STABLE AS $$
DECLARE
    arrondissement CONSTANT text := '^(751(0[1-9]|1[0-9]|20)|6938[1-9]|132(0[1-9]|1[0-6]))$';
    ref text; prefix text; area text; fitting text[]; found text[]; parcels text[] := '{}';
BEGIN
    FOREACH ref IN ARRAY refs LOOP
        CONTINUE WHEN ref IS NULL OR ref !~ '^([0-9]{2}|2[AB])[0-9]{6}[0-9A-Z]{2}[0-9]{4}$';
        fitting := ARRAY[ref];
        IF left(ref, 5) IN ('75056', '69123', '13055') THEN
            prefix := substr(ref, 6, 3);
            area := CASE WHEN left(ref, 2) || prefix ~ arrondissement THEN left(ref, 2) || prefix
                WHEN insee ~ arrondissement AND left(insee, 2) = left(ref, 2) THEN insee END;
            IF left(ref, 5) <> '13055' THEN
                fitting := ARRAY[area || '000' || substr(ref, 9)];
            ELSIF area IS NULL AND prefix < '801' THEN
                CONTINUE;
            ELSE
                SELECT array_agg(coalesce(area, '132' || lpad(a::text, 2, '0')) || p || substr(ref, 9))
                INTO fitting FROM generate_series(1, CASE WHEN area IS NULL THEN 16 ELSE 1 END) a,
                    generate_series(CASE WHEN prefix < '801' THEN 801 ELSE prefix::integer END,
                        CASE WHEN prefix < '801' THEN 999 ELSE prefix::integer END) p;
            END IF;
        END IF;
        SELECT array_agg(k.idu) INTO found FROM geo.parcelle k WHERE k.idu = ANY (fitting);
        IF found IS NULL AND cardinality(fitting) = 1 AND fitting[1] IS NOT NULL AND NOT EXISTS (
            SELECT FROM geo.parcelle_commune c WHERE c.code = left(fitting[1], 5) AND c.complete) THEN
            found := fitting;
        END IF;
        IF cardinality(found) = 1 AND found[1] <> ALL (parcels) THEN
            parcels := parcels || found;
        END IF;
    END LOOP;
    RETURN parcels;
END
$$;
