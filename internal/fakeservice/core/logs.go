package core

import "slices"

// AppLog is the end of what an app has written.
func (s *Service) AppLog(instanceID, name string) string {
	if s.plane == nil {
		return ""
	}
	return s.plane.AppLog(instanceID, name)
}

// BuildLog is the end of what a build has said so far, whether it goes on, has succeeded
// or has failed. A build that is only a record says nothing, unless a test made it fail.
// It tells whether there is such a build.
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
