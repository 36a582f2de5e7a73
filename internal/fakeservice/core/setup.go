package core

// SetAccountID replaces the id of the account. It is for the start of a fake: the keys
// then act as another account.
func (s *Service) SetAccountID(id string) {
	s.store.do(func(st *state) { st.Account.ID = id })
}

// ExtensionVersion is the version of an extension that is only a record, and empty of one
// that the service does not support.
func ExtensionVersion(name string) string {
	version, _ := extensionVersion(name)
	return version
}
