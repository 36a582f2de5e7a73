package core

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// unread has the fields that no read uses, each with the reason. A copy for reading may
// lack them.
var unread = map[string]string{
	"state.store":          "reads begin no work",
	"state.byID":           "it is made anew of instances, without which no read finds one",
	"state.jobsByID":       "it is made anew of jobs, without which no read finds one",
	"records.Edition":      "it is of what is written down",
	"records.Events":       "events are shown to tests alone",
	"records.Mails":        "mails are shown to tests alone",
	"records.Deliveries":   "they are shown in the present",
	"state.outbox":         "what is due happens in the present",
	"state.activeJobs":     "what is due happens in the present",
	"records.Builds":       "what is due happens in the present",
	"state.background":     "what is due happens in the present",
	"records.NextChore":    "what is due happens in the present",
	"records.Durations":    "jobs begin in the present",
	"state.marks":          "reads change nothing",
	"state.upcoming":       "what is due happens in the present",
	"state.control":        "jobs end in the present",
	"state.resuming":       "what is due happens in the present",
	"records.Pushes":       "builds begin in the present",
	"instance.Checkout":    "the checkout page is beside the API",
	"instance.Ailing":      "alerts go out in the present",
	"instance.Snapshots":   "a restore is a mutation",
	"instance.NextBackup":  "what is due happens in the present",
	"instance.backingUp":   "what is due happens in the present",
	"instance.verifying":   "verifications are made in the present",
	"instance.verifyAgain": "verifications are made in the present",
	"app.Deploying":        "verifications are made in the present",
	"job.Sequence":         "they are in order",
	"records.Keys":         "a key is asked for in the present",
	"records.KeysMade":     "no read asks for it",
	"records.Clients":      "an application is asked for in the present",
	"records.Grants":       "a token is asked for in the present",
	"records.Begun":        "no read asks for it",
	"records.Answers":      "they are given in the present",
	"records.Credentials":  "they are asked for in the present",
	"job.Due":              "what is due happens in the present",
	"job.Kind":             "jobs end in the present",
	"job.spec":             "jobs end in the present",
	"job.work":             "jobs end in the present",
	"job.Failure":          "jobs end in the present",
	"job.Hurried":          "jobs end in the present",
}

// shared has the fields whose pointers a copy may share, each with the reason.
var shared = map[string]string{
	"state.log":       "it is no state",
	"state.plane":     "real engines show what is there now",
	"records.Charges": "a charge never changes",
	"instance.change": "it changes nothing but what it is given",
	"Account.Name":    "a change points elsewhere",
	"Account.Company": "a change points elsewhere",
	"Account.Address": "a change points elsewhere",
	"Account.VATID":   "a change points elsewhere",
	"EngineInfo.Port": "a change points elsewhere",
}

// A new field of the state must be copied for reads that lag, or be listed above with a
// reason.
func TestCopyForReadingIsWhole(t *testing.T) {
	t.Parallel()
	var st state
	filler{skip: unread, share: shared}.fill(reflect.ValueOf(&st).Elem(), "state")
	compareCopy(t, reflect.ValueOf(&st).Elem(), reflect.ValueOf(st.forReading()).Elem(), "state")
}

// filler sets fields to values that are not zero.
type filler struct {
	// skip has the fields that filler leaves zero. share has the pointers that filler
	// sets without filling their targets.
	skip, share map[string]string
	// kind is the type to use for values of jobKind.
	kind reflect.Type
}

// fill sets v and all its fields to values that are not zero.
func (f filler) fill(v reflect.Value, name string) {
	if _, skip := f.skip[name]; skip {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1e9, 0).UTC()))
			return
		}
		for i := range v.NumField() {
			f.fill(settable(v.Field(i)), v.Type().Name()+"."+v.Type().Field(i).Name)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if _, stop := f.share[name]; !stop {
			f.fill(v.Elem(), name)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), name)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		element := reflect.New(v.Type().Elem()).Elem()
		f.fill(element, name)
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), element)
	case reflect.String:
		v.SetString(name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), nil))
	case reflect.Interface:
		switch {
		case f.kind != nil && v.Type() == reflect.TypeFor[jobKind]():
			made := reflect.New(f.kind)
			f.fill(made.Elem(), name)
			v.Set(made)
		case v.Type() == reflect.TypeFor[any]():
			v.Set(reflect.ValueOf(name))
		}
		// The only other interface is the data plane, which a copy shares.
	default:
		panic(fmt.Sprintf("%s is a %s, which this test cannot fill", name, v.Kind()))
	}
}

// settable makes an unexported field settable.
func settable(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// compareCopy compares a value with its copy. They must be equal and must not share
// changeable memory.
func compareCopy(t *testing.T, have, copied reflect.Value, name string) {
	t.Helper()
	if _, skip := unread[name]; skip {
		return
	}
	_, mayShare := shared[name]
	switch kind := have.Kind(); {
	case kind == reflect.Struct && have.Type() != reflect.TypeFor[time.Time]():
		for i := range have.NumField() {
			compareCopy(t, have.Field(i), copied.Field(i), have.Type().Name()+"."+have.Type().Field(i).Name)
		}
	case kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map || kind == reflect.Func:
		switch {
		case copied.IsNil():
			t.Errorf("the copy lacks %s", name)
		case have.Pointer() == copied.Pointer():
			if !mayShare {
				t.Errorf("the copy shares %s with the state", name)
			}
		case kind == reflect.Pointer:
			compareCopy(t, have.Elem(), copied.Elem(), name)
		case have.Len() != copied.Len():
			t.Errorf("the copy of %s: got %d elements, want %d", name, copied.Len(), have.Len())
		case kind == reflect.Slice:
			compareCopy(t, have.Index(0), copied.Index(0), name)
		default:
			key := have.MapKeys()[0]
			compareCopy(t, have.MapIndex(key), copied.MapIndex(key), name)
		}
	default:
		if !have.Equal(copied) {
			t.Errorf("the copy of %s: got %v, want %v", name, copied, have)
		}
	}
}

// All types and fields in the lists above exist.
func TestListsOfFieldsAreTrue(t *testing.T) {
	t.Parallel()
	types := map[string]reflect.Type{}
	for _, known := range []reflect.Type{
		reflect.TypeFor[state](), reflect.TypeFor[records](), reflect.TypeFor[instance](), reflect.TypeFor[app](), reflect.TypeFor[job](), reflect.TypeFor[buildRun](), reflect.TypeFor[delivery](),
		reflect.TypeFor[secrets](), reflect.TypeFor[Account](), reflect.TypeFor[EngineInfo](),
	} {
		types[known.Name()] = known
	}
	for _, list := range []map[string]string{unread, shared, unkept} {
		for name := range list {
			of, field, _ := strings.Cut(name, ".")
			if known, ok := types[of]; !ok {
				t.Errorf("unknown type %s", of)
			} else if _, ok := known.FieldByName(field); !ok {
				t.Errorf("unknown field %s", name)
			}
		}
	}
}

// If a read ends a job that was due, later reads of the past see it too.
func TestReadThatSettlesIsKept(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	defer func() {
		must.Report(t, s.Close())
	}()
	s.KeepPast(time.Nanosecond)
	id := s.AddInstance(Instance{}).ID
	must.Get(s.StartJob(id, "rotate", ""))(t)
	s.clock.advance(time.Hour)
	for _, ago := range []time.Duration{0, time.Nanosecond} {
		s.store.read(ago, func(st *state) {
			if status := st.Jobs[0].Status; status != StatusDone {
				t.Errorf("the job %s ago: got status %s, want %s", ago, status, StatusDone)
			}
		})
	}
}
