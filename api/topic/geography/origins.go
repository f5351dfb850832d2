package geography

import "arpent/api/ingest/fetch"

var origins = []fetch.Origin{{
	Evidence: fetch.None, ReadOn: "2026-10", Note: "No public file has it. It can be given in a format of ours: see the note of the source.",
}}
