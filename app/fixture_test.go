package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app"
	"arpent/app/base/clock"
	"arpent/app/base/config"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
)

// smallFrance is a territory of squares a tenth of a degree wide: two communes that touch in 93, Paris with two
// arrondissements, one commune in Corsica and one overseas.
const smallFrance = `
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('test', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true);
INSERT INTO geo.region (code, name) VALUES ('04', 'La Réunion'), ('11', 'Île-de-France'), ('94', 'Corse');
INSERT INTO geo.departement (code, name, region_code) VALUES
    ('2A', 'Corse-du-Sud', '94'), ('75', 'Paris', '11'), ('93', 'Seine-Saint-Denis', '11'), ('974', 'La Réunion', '04');
INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code) VALUES
    ('commune-actuelle', '2A004', 'Ajaccio', '2A', '94', '2A004'),
    ('commune-actuelle', '75056', 'Paris', '75', '11', '75056'),
    ('arrondissement-municipal', '75101', 'Paris 1er Arrondissement', '75', '11', '75056'),
    ('arrondissement-municipal', '75118', 'Paris 18e Arrondissement', '75', '11', '75056'),
    ('commune-actuelle', '93008', 'Bobigny', '93', '11', '93008'),
    ('commune-actuelle', '93010', 'Bondy', '93', '11', '93010'),
    ('commune-actuelle', '97411', 'Saint-Denis', '974', '04', '97411');
INSERT INTO geo.commune_contour (code, geom, area_km2)
SELECT code, g, ST_Area(g::geography) / 1e6
FROM (VALUES ('2A004', 8.7, 41.9), ('75056', 2.3, 48.8), ('93008', 2.4, 48.9), ('93010', 2.5, 48.9), ('97411', 55.4, -20.9)) c (code, x, y),
     LATERAL (SELECT ST_Multi(ST_MakeEnvelope(x, y, x + 0.1, y + 0.1, 4326))) s (g);
INSERT INTO geo.departement_contour (code, geom, area_km2)
SELECT d, g, ST_Area(g::geography) / 1e6
FROM (SELECT left(code, 2) d, ST_Multi(ST_Union(geom)) g FROM geo.commune_contour WHERE code < '97' GROUP BY 1) s;
INSERT INTO geo.region_contour (code, geom, area_km2)
SELECT r, g, ST_Area(g::geography) / 1e6
FROM (SELECT region_code r, ST_Multi(ST_Union(geom)) g
      FROM geo.commune_contour JOIN geo.commune USING (code) WHERE type = 'commune-actuelle' GROUP BY 1) s;
INSERT INTO geo.parcelle (idu, contenance, feuille, geom) VALUES
    ('930100000A0001', 700, 1, ST_Multi(ST_MakeEnvelope(2.51, 48.91, 2.511, 48.911, 4326))),
    ('930100000A0002', NULL, NULL, ST_Multi(ST_MakeEnvelope(2.511, 48.91, 2.512, 48.911, 4326))),
    ('75118000AB0003', 12, NULL, ST_Multi(ST_MakeEnvelope(2.31, 48.81, 2.311, 48.811, 4326)));
INSERT INTO geo.parcelle_passee (idu, vintage, contenance, geom) VALUES
    ('930100000A0009', '2022-01-01', 1400, ST_Multi(ST_MakeEnvelope(2.51, 48.91, 2.512, 48.911, 4326)));
INSERT INTO geo.parcelle_commune (code, vintage, load_id) SELECT c, '2025-01-01', max(id) FROM geo.load, (VALUES ('93010'), ('75118')) v (c) GROUP BY c;
`

// service is a running instance on a database of its own.
type service struct {
	t    testing.TB
	base string
	pool *pgxpool.Pool
	url  string
	stop func()
	log  io.Writer
	app  *app.App
}

// lines is a log that a test can read while it is written.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// start runs an instance on a random port. Its limits, keys and counters are real.
func start(t testing.TB) *service {
	t.Helper()
	pool, url := testkit.DB(t)
	if _, err := pool.Exec(t.Context(), smallFrance); err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, pool: pool, url: url, log: io.Discard}
	s.run(func(*config.Config) {})
	return s
}

// run starts one more instance on the same database.
func (s *service) run(change func(*config.Config)) {
	s.t.Helper()
	c, err := config.Read([]string{"ARPENT_HOST=127.0.0.1", "ARPENT_LOG_LEVEL=error", "ARPENT_SECRET=a secret of thirty-two letters or more"})
	if err != nil {
		s.t.Fatal(err)
	}
	c.Port, c.StateDir = 0, s.t.TempDir()
	change(&c)
	a, err := app.New(s.t.Context(), app.Inputs{Config: c, Pool: s.pool, DatabaseURL: s.url, AccessLog: s.log})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- a.Run(ctx, func(at string) { address <- at }) }()
	select {
	case at := <-address:
		s.base, s.app = "http://"+at, a
	case err := <-ended:
		s.t.Fatal(err)
	}
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
	s.t.Cleanup(s.stop)
}

// account makes a confirmed account and a key, and waits until the instance knows it.
func (s *service) account(email, plan string) (secret string) {
	s.t.Helper()
	ctx := s.t.Context()
	accounts := auth.NewAccounts(s.pool, clock.Real{})
	account, err := accounts.Create(ctx, auth.NewAccount{Email: email, Plan: plan, Confirmed: true})
	if err != nil {
		s.t.Fatal(err)
	}
	_, secret, err = apikey.NewStore(s.pool, clock.Real{}).Create(ctx, account.ID, apikey.NewKey{Name: "test"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.until(func() bool { return s.get("/api/v1", "X-API-Key", secret).status == http.StatusOK })
	return secret
}

func (s *service) until(done func() bool) {
	s.t.Helper()
	s.within(patience, done)
}

type response struct {
	status int
	header http.Header
	body   []byte
}

func (s *service) get(path string, headers ...string) response {
	return s.do(http.MethodGet, path, headers...)
}

func (s *service) do(method, path string, headers ...string) response {
	s.t.Helper()
	header := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return s.send(method, path, header)
}

// send sends headers as they are: a name may come on several lines.
func (s *service) send(method, path string, header http.Header) response {
	s.t.Helper()
	req, err := http.NewRequest(method, s.base+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header = header
	res, err := (&http.Client{Timeout: 10 * time.Second, Transport: transport}).Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, body}
}

// transport asks for no compression on its own.
var transport = &http.Transport{DisableCompression: true}

func (r response) code(t testing.TB) string {
	t.Helper()
	var e struct {
		Error struct{ Code, Message, Documentation string } `json:"error"`
	}
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		t.Fatalf("error body %s: %v", r.body, err)
	}
	if e.Error.Message == "" || e.Error.Documentation == "" {
		t.Errorf("error body %s: a string is empty", r.body)
	}
	return e.Error.Code
}
