package password

const DummyHash = dummyHash

func (h *Hasher) Waiting() int64 { return h.waiting.Load() }
func (h *Hasher) Hashes() int    { return cap(h.hashes) }
