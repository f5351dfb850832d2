//go:build !linux

package stripesim

// live starts the process and waits for its end.
func (m *mock) live(started chan<- error) {
	err := m.cmd.Start()
	started <- err
	if err == nil {
		_ = m.cmd.Wait() // reports the kill as a failure
	}
	close(m.ended)
}
