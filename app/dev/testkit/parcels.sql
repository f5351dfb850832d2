-- Lets tests write parcels one by one: an inserted parcel becomes a block of one.
CREATE FUNCTION geo.write_parcel() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    b geo.parcel_block;
    at integer;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM geo.parcel_block WHERE first_idu <= OLD.idu AND last_idu >= OLD.idu AND OLD.idu = ANY (idus) RETURNING * INTO b;
        IF cardinality(b.idus) > 1 THEN
            at := array_position(b.idus, OLD.idu);
            b.idus := b.idus[:at - 1] || b.idus[at + 1:];
            b.contenances := b.contenances[:at - 1] || b.contenances[at + 1:];
            b.feuilles := b.feuilles[:at - 1] || b.feuilles[at + 1:];
            b.shapes := b.shapes[:at - 1] || b.shapes[at + 1:];
            b.first_idu := b.idus[1];
            b.last_idu := b.idus[cardinality(b.idus)];
            b.box := (SELECT ST_Envelope(ST_Collect(ST_Envelope(ST_SetSRID(ST_GeomFromTWKB(s), 4326)))) FROM unnest(b.shapes) s);
            INSERT INTO geo.parcel_block VALUES (b.*);
        END IF;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    INSERT INTO geo.parcel_block VALUES (NEW.idu, NEW.idu, ARRAY[NEW.idu], ARRAY[NEW.contenance], ARRAY[NEW.feuille],
        ARRAY[ST_AsTWKB(NEW.geom, 7)], ST_Envelope(NEW.geom));
    RETURN NEW;
END
$$;
CREATE TRIGGER write_parcel INSTEAD OF INSERT OR UPDATE OR DELETE ON geo.parcelle FOR EACH ROW EXECUTE FUNCTION geo.write_parcel();
