package producer

import (
	"arpent/api/ingest/fetch"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
)

// Urbanisme is the document in force of a partition of the Géoportail de l'urbanisme.
type Urbanisme struct {
	Partition string // "DU_{commune}"
}

const urbanisme = "https://www.geoportail-urbanisme.gouv.fr/api/document"

// String implements fetch.Resolver.
func (u Urbanisme) String() string { return urbanisme + "?partition=" + u.Partition }

type urbanismeDocument struct {
	ID        string
	Name      string // of its archive
	Status    string
	Effective string `json:"effectiveStatus"`
}

// Resolve implements fetch.Resolver. It is fetch.ErrNothing for a commune without a document of its own: it has none, or that of its
// intercommunality.
func (u Urbanisme) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	partition := p.Fill(u.Partition, nil)
	var history []urbanismeDocument
	if err := c.JSON(ctx, urbanisme+"?partition="+url.QueryEscape(partition), &history); err != nil && !gone(err) {
		return nil, err
	}
	inForce := slices.DeleteFunc(history, func(d urbanismeDocument) bool {
		effective := d.Effective == "" || d.Effective == "EN_VIGUEUR" // not read for documents other than those of urbanism
		return d.Status != "document.production" || !effective || d.ID == "" || d.Name == ""
	})
	if len(inForce) == 0 {
		return nil, noFile(u.Partition, "the partition %s has no document in force", partition)
	}
	d := slices.MaxFunc(inForce, func(a, b urbanismeDocument) int { return cmp.Compare(dateIn(a.Name), dateIn(b.Name)) })
	address := fmt.Sprintf("%s/%s/download/%s.zip", urbanisme, url.PathEscape(d.ID), url.PathEscape(d.Name))
	return []fetch.Remote{{Address: address, Served: d.Name + ".zip", Edition: d.ID + " " + d.Name, Fields: yearOf(dateIn(d.Name))}}, nil
}
