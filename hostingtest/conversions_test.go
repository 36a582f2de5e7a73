package hostingtest

import (
	"reflect"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// TestConversionsKeepEveryField converts a record with a value in each field.
func TestConversionsKeepEveryField(t *testing.T) {
	t.Parallel()
	var delivery fakeservice.Delivery
	fill(t, reflect.ValueOf(&delivery).Elem())
	shown := reflect.ValueOf(deliveryOf(delivery))
	if got, want := shown.NumField(), reflect.TypeFor[fakeservice.Delivery]().NumField(); got != want {
		t.Errorf("delivery: got %d fields, want %d", got, want)
	}
	for i := range shown.NumField() {
		if shown.Field(i).IsZero() {
			t.Errorf("delivery: got %s lost, want it kept", shown.Type().Field(i).Name)
		}
	}
}

func TestWeatherNames(t *testing.T) {
	t.Parallel()
	for weather, want := range map[Weather]string{Calm: "calm", Breeze: "breeze", Storm: "storm"} {
		if got := weather.String(); got != want {
			t.Errorf("weather %d: got %q, want %q", weather, got, want)
		}
	}
}

// fill sets every field of a value, and one element of each list and map.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key)
		fill(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1e9, 0).UTC()))
			return
		}
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("fill: %s is not supported", v.Type())
	}
}
