// Package repository tests the files other than code: CHANGELOG.md, the workflows, the
// lists of Dependabot, and the evidence for the promises of README.md.
package repository
