-- Turnout in one round of an election. election is the ministry's name of it, with its round: 2017_pres_t1.
CREATE TABLE geo.election_turnout (
    part       text NOT NULL,
    level      text NOT NULL,
    code       text NOT NULL,
    election   text NOT NULL,
    registered integer,
    voters     integer,
    blank      integer,                  -- null before 2014, when they were counted with the spoiled ones
    spoiled    integer,
    expressed  integer,
    PRIMARY KEY (part, level, code, election)
);

-- Votes for a candidate or a list.
CREATE TABLE geo.election_result (
    part     text NOT NULL,
    level    text NOT NULL,
    code     text NOT NULL,
    election text NOT NULL,
    place    integer NOT NULL,           -- order in the file, from 1
    name     text,                       -- last name of a candidate
    given    text,                       -- first name
    list     text,
    nuance   text,                       -- political label given by the ministry
    votes    integer NOT NULL,
    seats    integer,
    elected  boolean,
    PRIMARY KEY (part, level, code, election, place)
);

-- The mayors in office. Dates of birth are never kept: the year is.
CREATE TABLE geo.mayor (
    commune        text PRIMARY KEY,
    last_name      text NOT NULL,
    first_name     text NOT NULL,
    gender         text,
    birth_year     integer,
    occupation     text,
    mandate_start  date,
    function_start date
);
