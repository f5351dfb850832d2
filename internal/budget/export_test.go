package budget

// Networks is how many networks hold a slot or wait for one.
func (s *Slots) Networks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.networks)
}
