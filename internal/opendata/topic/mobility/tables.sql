-- Buildings of the fibre roll-out.
CREATE TABLE geo.fibre (
    part      text NOT NULL,
    id        text NOT NULL,
    state     text NOT NULL,
    operator  text,                      -- code of the operator of the building
    node      text,                      -- point de mutualisation
    node_state text,
    kind      text,                      -- pavillon, immeuble
    completed date,
    geom      geometry(Point, 4326) NOT NULL,
    PRIMARY KEY (part, id)
);
CREATE INDEX fibre_geom_idx ON geo.fibre USING gist (geom);
