package base

// InBackground starts a read that runs at the same time as others. The returned function
// waits for its result.
func InBackground[T any](read func() (T, error)) func() (T, error) {
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
