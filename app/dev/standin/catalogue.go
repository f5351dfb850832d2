package standin

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"arpent/api/ingest/fetch/producer"
)

// catalogue is what a producer lists.
type catalogue struct{ entries []entry }

// entry is a file in a catalogue.
type entry struct {
	id      string
	title   string
	name    string // of the file
	address string
	file    *content
	files   []local
}

// add enters files, each once.
func (c *catalogue) add(b *builder, o offer, entries []entry) {
	for _, e := range entries {
		e.file = b.file(e.address, e.name)
		e.file.add(o.src, e.files)
		if !slices.ContainsFunc(c.entries, func(have entry) bool { return have.address == e.address }) {
			c.entries = append(c.entries, e)
		}
	}
}

// answer is what the producer's catalogue answers an address; nil: it has no such page.
func (c *catalogue) answer(u *url.URL, from any) ([]byte, error) {
	switch from := from.(type) {
	case producer.DataGouv:
		return c.dataGouv()
	case producer.Attachment:
		return c.attachments()
	case producer.Melodi:
		return c.melodi()
	case producer.S3:
		return c.listing(from)
	case producer.Geoplateforme:
		return c.feed(u, from)
	case producer.Urbanisme:
		return c.documents(u)
	case producer.D4C:
		return c.d4c(from)
	}
	return nil, nil
}

func (c *catalogue) dataGouv() ([]byte, error) {
	resources := []any{}
	for _, e := range c.entries {
		b, err := e.file.bytes()
		if err != nil {
			return nil, err
		}
		resources = append(resources, map[string]any{
			"id": e.id, "title": e.title, "url": e.address, "filetype": "file", "filesize": len(b),
			"format":        strings.TrimPrefix(path.Ext(e.name), "."),
			"checksum":      map[string]string{"type": "sha1", "value": fmt.Sprintf("%x", sha1.Sum(b))},
			"last_modified": e.file.date().Format(time.RFC3339),
		})
	}
	return json.Marshal(map[string]any{"deleted": nil, "resources": resources})
}

func (c *catalogue) attachments() ([]byte, error) {
	list := []any{}
	for _, e := range c.entries {
		list = append(list, map[string]string{"id": e.id, "title": e.title, "url": e.address})
	}
	return json.Marshal(map[string]any{"attachments": list})
}

func (c *catalogue) melodi() ([]byte, error) {
	products := []any{}
	for _, e := range c.entries {
		b, err := e.file.bytes()
		if err != nil {
			return nil, err
		}
		products = append(products, map[string]any{"accessURL": e.address, "format": "CSV", "language": "fr", "byteSize": len(b),
			"modified": e.file.date().Format(time.DateOnly)})
	}
	return json.Marshal(map[string]any{"product": products})
}

type s3Object struct {
	Key          string
	LastModified string
	Size         int
}

func (c *catalogue) listing(from producer.S3) ([]byte, error) {
	list := struct {
		XMLName     xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
		Prefix      string
		IsTruncated bool
		Contents    []s3Object
	}{Prefix: from.Prefix}
	for _, e := range c.entries {
		b, err := e.file.bytes()
		if err != nil {
			return nil, err
		}
		list.Contents = append(list.Contents, s3Object{e.id, e.file.date().Format(time.RFC3339), len(b)})
	}
	slices.SortFunc(list.Contents, func(a, b s3Object) int { return strings.Compare(a.Key, b.Key) })
	return xml.Marshal(list)
}

// feed lists the editions of a product in a zone and format, or the file of an edition.
func (c *catalogue) feed(u *url.URL, from producer.Geoplateforme) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" ` +
		`xmlns:gpf_dl="https://data.geopf.fr/annexes/ressources/xsd/gpf_dl.xsd" gpf_dl:page="1" gpf_dl:pagecount="1">`)
	edition := strings.TrimPrefix(u.Path, "/telechargement/resource/"+from.Product)
	found := edition == ""
	for _, e := range c.entries {
		switch zone, format := u.Query().Get("zone"), u.Query().Get("format"); {
		case edition == "/"+e.title:
			b, err := e.file.bytes()
			if err != nil {
				return nil, err
			}
			found = true
			fmt.Fprintf(&out, `<entry><link href=%q rel="section" gpf_dl:length="%d"/><content>%x</content></entry>`, e.address, len(b), md5.Sum(b))
		case edition == "" && (zone == "" || strings.Contains(e.title, "_"+zone+"_")) && strings.Contains(e.title, "_"+format+"_"):
			date := e.title[len(e.title)-len(time.DateOnly):]
			fmt.Fprintf(&out, `<entry><title>%s</title><gpf_dl:editionDate>%s</gpf_dl:editionDate></entry>`, e.title, date)
		}
	}
	if !found {
		return nil, nil
	}
	out.WriteString("</feed>")
	return out.Bytes(), nil
}

// documents are those of a partition.
func (c *catalogue) documents(u *url.URL) ([]byte, error) {
	list := []any{}
	for _, e := range c.entries {
		if !inPartition(e.title, u.Query().Get("partition")) {
			continue
		}
		list = append(list, map[string]string{"id": e.id, "name": e.title, "originalName": e.title, "status": "document.production",
			"legalStatus": "APPROVED", "effectiveStatus": "EN_VIGUEUR"})
	}
	return json.Marshal(list)
}

func (c *catalogue) d4c(from producer.D4C) ([]byte, error) {
	extras := []any{}
	for _, e := range c.entries {
		extras = append(extras, map[string]string{"key": "file_csv", "value": e.address})
	}
	set := map[string]any{"name": from.Dataset, "extras": extras}
	return json.Marshal(map[string]any{"success": true, "result": map[string]any{"count": 1, "results": []any{set}}})
}
