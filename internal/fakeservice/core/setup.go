package core

// SetAccountID replaces the id of the account. It is for the start of a fake: the keys
// then act as another account.
func (s *Service) SetAccountID(id string) {
	s.store.do(func(st *state) { st.Account.ID = id })
}

// EditAccount changes the account behind the client's back. Its id stays.
func (s *Service) EditAccount(edit func(*Account)) {
	s.store.do(func(st *state) {
		account := st.Account
		edit(&account)
		account.ID = st.Account.ID
		st.Account = account
	})
}

// ExtensionVersion is the version of an extension that is only a record, and empty of one
// that the service does not support.
func ExtensionVersion(name string) string {
	version, _ := extensionVersion(name)
	return version
}
