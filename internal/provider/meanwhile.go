package provider

// meanwhile begins a read beside others that do not depend on it. What it returns waits
// for the result.
func meanwhile[T any](read func() (T, error)) func() (T, error) {
	var value T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		value, err = read()
	}()
	return func() (T, error) {
		<-done
		return value, err
	}
}
