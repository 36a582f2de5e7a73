package core

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// strictly has the rules of encoding/json, which writes the files, and tolerates nothing
// else.
var strictly = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	jsonv1.ReportErrorsWithLegacySemantics(false), // the others name the member
	json.RejectUnknownMembers(true),
	json.MatchCaseInsensitiveNames(false),
	jsontext.AllowDuplicateNames(false),
	jsontext.AllowInvalidUTF8(false),
)

// Decode decodes a single JSON value that another program may have written: a file in a
// --state folder or in a snapshot. It refuses unknown and duplicate members. The name of a
// member must be spelled exactly.
func Decode(text []byte, into any) error { return json.Unmarshal(text, into, strictly) }
