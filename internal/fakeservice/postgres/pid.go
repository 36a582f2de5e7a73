package postgres

// PID returns the id of the server's process, or 0 if none runs. In a sandbox, it is the id
// of the sandbox's first process, with which the server ends. PID does not need the lock.
func (c *Cluster) PID() int {
	p := c.newest.Load()
	if p == nil {
		return 0
	}
	select {
	case <-p.Ended():
		return 0
	default:
		return p.PID()
	}
}
