package client

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
)

// A Whole is a whole number of a record. A service may write 320 as 320.0, as 3.2e2, or as
// a string (SERVICE.md#tolerance).
type Whole int64

// An Amount is a number that may have a fraction, such as a price or a size.
type Amount float64

// UnmarshalJSON returns a *json.UnmarshalTypeError for anything but a whole number, so that
// the error of the record names the field. A null is 0.
func (w *Whole) UnmarshalJSON(raw []byte) error {
	number, err := numberOf(raw, reflect.TypeFor[Whole]())
	if err == nil && (number != math.Trunc(number) || math.Abs(number) > 1<<53) {
		return &json.UnmarshalTypeError{Value: "number " + string(raw), Type: reflect.TypeFor[Whole]()}
	}
	*w = Whole(number)
	return err
}

// UnmarshalJSON is like that of Whole, but accepts a fraction.
func (a *Amount) UnmarshalJSON(raw []byte) error {
	number, err := numberOf(raw, reflect.TypeFor[Amount]())
	*a = Amount(number)
	return err
}

// numberOf reads a number or a string that contains one.
func numberOf(raw []byte, kind reflect.Type) (float64, error) {
	var number json.Number // accepts a string with a number, too
	if err := json.Unmarshal(raw, &number); err != nil {
		return 0, &json.UnmarshalTypeError{Value: "value " + string(raw), Type: kind}
	}
	if number == "" { // null
		return 0, nil
	}
	value, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return 0, &json.UnmarshalTypeError{Value: "number " + string(raw), Type: kind}
	}
	return value, nil
}

// below puts the name of a field before that of a *json.UnmarshalTypeError.
func below(field string, err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		if wrong.Field != "" {
			field += "." + wrong.Field
		}
		wrong.Field = field
		return wrong
	}
	return err
}
