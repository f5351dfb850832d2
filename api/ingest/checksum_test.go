package ingest_test

import (
	"testing"

	"arpent/api/ingest"
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// A corrected title, note or address of a source is shown at once and loads nothing again; what makes the rows does. Else
// each correction would load the whole country anew.
func TestWhatIsShownReloadsNothing(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Places(source.Read{Format: source.CSV}))
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle\n01001,Ain\n01002,Aix\n")
	b.MustLoad()
	conn, err := b.DB.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "LISTEN arpent_geo"); err != nil {
		t.Fatal(err)
	}
	s := &b.Catalogue[0]
	s.Title, s.Producer, s.Licence.Name = "Corrected", "Somebody else", "Another"
	s.Note, s.Homepage, s.Group, s.Levels = "Noted", "https://example.org", "group", []string{"region"}
	s.Origins = []fetch.Origin{{From: producer.At{Address: "https://example.org/{commune}"}, Area: fetch.Commune}}
	if out := b.MustLoad()["places"]; out.State != ingest.Unchanged {
		t.Errorf("with another title it is %s; expected unchanged", out.State)
	}
	b.Want("SELECT title, producer, licence FROM geo.load", "Corrected|Somebody else|Another")
	if n, err := conn.Conn().WaitForNotification(t.Context()); err != nil || n.Payload != "places" {
		t.Errorf("notified %v, %v; expected places", n, err)
	}
	s.Drop = append(s.Drop, "code = '01002'")
	if out := b.MustLoad()["places"]; out.State != ingest.Loaded {
		t.Errorf("with another condition it is %s; expected loaded", out.State)
	}
}
