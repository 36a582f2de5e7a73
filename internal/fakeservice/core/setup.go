package core

// SetAccountID replaces the id of the account. It is for the start of a fake: from then
// on, the keys belong to the account with this id.
func (s *Service) SetAccountID(id string) {
	s.store.do(func(st *state) { st.Account.ID = id })
}

// ExtensionVersion returns the version of an extension that is only a record. It returns
// "" for an extension that the service does not support.
func ExtensionVersion(name string) string {
	version, _ := extensionVersion(name)
	return version
}
