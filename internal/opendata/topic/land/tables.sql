-- Registre parcellaire graphique : what farmers declare to grow, one row a piece of a declared parcel. id is the number
-- of the parcel in its file: the producer's identifiers repeat.
CREATE TABLE geo.rpg (
    part       text NOT NULL,               -- source and scope it was loaded from
    id         bigint NOT NULL,
    piece      integer NOT NULL DEFAULT 1,
    crop       text NOT NULL,               -- code of the crop: PPH
    crop_group smallint,                    -- 1 to 28
    area_ha    real,                        -- of the whole declared parcel, as declared
    year       smallint NOT NULL,
    geom       geometry(Geometry, 4326) NOT NULL,
    PRIMARY KEY (part, id, piece)
);
CREATE INDEX rpg_geom ON geo.rpg USING gist (geom);
