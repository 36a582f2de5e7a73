// Package repository holds what is beside the code to what is there: CHANGELOG.md, the
// workflows, the lists of Dependabot, and the evidence of what README.md promises.
package repository
