package budget

// Networks is how many networks hold a slot or wait for one.
func (s *Slots) Networks() int {
	s.networks.mu.Lock()
	defer s.networks.mu.Unlock()
	return len(s.networks.slots)
}
