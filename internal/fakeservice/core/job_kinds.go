package core

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// storedKind is a jobKind that is stored with its name.
type storedKind struct{ jobKind }

// jobKinds maps the names of types to the kinds of jobs.
var jobKinds = kindsByName(
	&createJob{}, &updateJob{}, &deleteJob{}, &enginesJob{}, &allowlistJob{}, &consoleJob{}, &authSettingsJob{},
	&rotateJob{}, &resizeJob{}, &resetJob{}, &restoreJob{}, &engineRestartJob{}, &foreignJob{},
	&databaseCreateJob{}, &databaseDropJob{}, &extensionSetJob{}, &extensionDropJob{},
	&appImportJob{}, &appUpdateJob{}, &appDeleteJob{}, &appRedeployJob{}, &appRestartJob{},
)

func kindsByName(kinds ...jobKind) map[string]reflect.Type {
	byName := map[string]reflect.Type{}
	for _, kind := range kinds {
		of := reflect.TypeOf(kind).Elem()
		byName[of.Name()] = of
	}
	return byName
}

// namedKind is the stored form of a kind.
type namedKind struct {
	Name string
	Job  json.RawMessage
}

// MarshalJSON writes the kind with its name. It fails if jobKinds lacks the type, because
// then the kind could not be read again.
func (k storedKind) MarshalJSON() ([]byte, error) {
	of := reflect.TypeOf(k.jobKind)
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if jobKinds[of.Name()] != of {
		return nil, fmt.Errorf("jobKinds lacks %s, so it could not be read again", of.Name())
	}
	text, err := json.Marshal(k.jobKind)
	if err != nil {
		return nil, err
	}
	return json.Marshal(namedKind{of.Name(), text})
}

// UnmarshalJSON reads a kind that MarshalJSON wrote.
func (k *storedKind) UnmarshalJSON(text []byte) error {
	var named namedKind
	if err := Decode(text, &named); err != nil {
		return err
	}
	of, known := jobKinds[named.Name]
	if !known {
		return fmt.Errorf("there is no kind of job %q", named.Name)
	}
	read := reflect.New(of)
	k.jobKind = read.Interface().(jobKind)
	return Decode(named.Job, read.Interface())
}
