package core

import _ "embed"

// Guide is the apps hosting contract as markdown.
//
//go:embed guide.md
var Guide []byte

// GuideType is the media type of Guide.
const GuideType = "text/markdown; charset=utf-8"
