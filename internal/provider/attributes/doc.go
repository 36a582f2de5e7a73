// Package attributes has the rules that values of attributes must follow, and the
// conversions between values of Terraform and of Go.
package attributes
