-- Tables of a zoo.
SET search_path TO zoo;

-- Where animals live.
-- One row per cage.
CREATE TABLE IF NOT EXISTS zoo.cages (
    id integer PRIMARY KEY,
    name text NOT NULL DEFAULT 'Käfig', -- with umlaut
    size numeric(8, 2)
);

/* All animals. */
CREATE TABLE animals (
    id integer PRIMARY KEY,
    cage_id integer REFERENCES zoo.cages (id),
    "full name" text
);

CREATE INDEX animals_by_cage ON animals (cage_id);

CREATE UNIQUE INDEX CONCURRENTLY animals_names ON animals ("full name");

CREATE VIEW hungry AS
SELECT a.id, c.name
FROM animals a
JOIN zoo.cages c ON c.id = a.cage_id;

CREATE OR REPLACE VIEW "Große Tiere" AS SELECT * FROM animals;

CREATE MATERIALIZED VIEW totals AS SELECT count(*) FROM animals;

CREATE TYPE mood AS ENUM ('froh', 'müde 😴');

CREATE TYPE spot AS (x float, y float);

CREATE SEQUENCE tickets START 1;

-- Feeds one animal.
CREATE FUNCTION feed(animal integer, amount numeric DEFAULT 1) RETURNS integer AS $$
BEGIN
    UPDATE animals SET food = food + amount WHERE id = animal;
    RETURN animal;
END;
$$ LANGUAGE plpgsql;

CREATE OR REPLACE FUNCTION zoo.square(x integer) RETURNS integer
LANGUAGE sql AS 'SELECT x * x';

CREATE PROCEDURE clean(cage integer)
LANGUAGE sql AS $$ DELETE FROM dirt $$;

CREATE TRIGGER after_feed AFTER UPDATE ON animals
FOR EACH ROW EXECUTE FUNCTION feed();

CREATE SCHEMA zoo;

CREATE EXTENSION pgcrypto;

INSERT INTO zoo.cages (id, name) VALUES (1, 'Affenhaus');

ALTER TABLE animals ADD COLUMN food numeric;

SELECT * FROM hungry;
