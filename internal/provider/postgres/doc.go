// Package postgres has the resources and lists of databases, extensions and scripts.
package postgres
