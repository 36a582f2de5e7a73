package core

import "slices"

// AppLog returns the end of an app's output.
func (s *Service) AppLog(instanceID, name string) string {
	if s.plane == nil {
		return ""
	}
	return s.plane.AppLog(instanceID, name)
}

// BuildLog returns the end of a build's log so far, whatever the status of the build, and
// whether the build exists. A build that is only a record has no log, unless a test made
// it fail.
func (s *Service) BuildLog(instanceID, name, buildID string) (log string, found bool) {
	a, _ := s.App(instanceID, name)
	at := slices.IndexFunc(a.Builds, func(b Build) bool { return b.ID == buildID })
	if at < 0 {
		return "", false
	}
	if s.plane != nil {
		log = s.plane.BuildLog(buildID)
	}
	if log == "" {
		log = a.Builds[at].Error
	}
	return log, true
}
