// Package catalog has the data sources of plans and locations.
package catalog
