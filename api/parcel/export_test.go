package parcel

import (
	"errors"

	"arpent/internal/snapshot"
)

var BeginSharedSnapshot = beginSharedSnapshot

// Queries are the statements that the plan test explains, with arguments that find something in its table.
var Queries = map[string]struct {
	SQL, Args string
}{
	"parcels":   {readParcels, `('93011')`},
	"gone":      {findGone, `('932000000A0150', '{}', '{}')`},
	"gone list": {readGone, `('93200')`},
}

// FindGone is the statement that successors are found by.
var FindGone = findGone

// WriteIndex writes a file of parcels, whose outlines are WKB by reference; the references of a commune lie
// side by side, in their order. After each of these communes, parcels of another one are gone, whose code
// ends in 999: as many, each with the parcels of before as its successors, three at most.
func WriteIndex(path string, references []string, outlines map[string][]byte) error {
	return snapshot.Write(path, IndexFormat, "test", func(w *snapshot.Writer) error {
		if err := w.Begin(blocksSection); err != nil {
			return err
		}
		var entries []entry
		var gone []goneEntry
		var goneBlocks []byte
		for len(references) > 0 {
			var m blockBuilder
			e := entry{Block: w.Length(), Vintage: noVintage}
			copy(e.Code[:], references[0])
			for ; len(references) > 0 && references[0][:5] == string(e.Code[:]); references = references[1:] {
				shape, err := m.arena.Decode(outlines[references[0]])
				if err != nil {
					return err
				}
				m.parcels = append(m.parcels, parcelRead{row{idu: IDU(references[0]), contenance: number{Int32: 700, Valid: true}}, shape})
			}
			e.Parcels = uint32(len(m.parcels))
			m.buildLists(&e)
			if _, err := w.Write(m.block); err != nil {
				return err
			}
			entries = append(entries, e)
			var list []goneParcel
			var successors []successor
			for i := range m.parcels {
				for _, p := range m.parcels[max(0, i-3):i] {
					successors = append(successors, successor([]byte(p.idu)))
				}
				list = append(list, goneParcel{Key: [9]byte([]byte(m.parcels[i].idu[5:])), Vintage: int32(i) * 400, End: uint32(len(successors))})
			}
			g := newGoneEntry(string(e.Code[:2])+"999", list, successors)
			g.Block = uint64(len(goneBlocks))
			gone, goneBlocks = append(gone, g), append(goneBlocks, encodeGoneLists(list, successors)...)
		}
		return errors.Join(snapshot.Put(w, communesSection, entries), snapshot.Put(w, goneSection, goneBlocks), snapshot.Put(w, goneCommunesSection, gone))
	})
}
