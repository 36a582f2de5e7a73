package core

import (
	"context"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// PageLimit is both the default and the maximum page size of lists.
const PageLimit = 200

// InstanceRecord is an instance as the API shows it.
type InstanceRecord struct {
	ID          string                  `json:"id"`
	Name        string                  `json:"name"`
	Plan        string                  `json:"plan"`
	Region      string                  `json:"region"`
	Status      string                  `json:"status"`
	Host        *string                 `json:"host"`
	Engines     map[string]EngineRecord `json:"engines"`
	Tags        []string                `json:"tags"`
	Allowlist   []string                `json:"allowlist"`
	ConsoleMode string                  `json:"console_mode"`
	JobID       *string                 `json:"job_id"`
	// CheckoutURL is present only while a paid plan waits for its checkout.
	CheckoutURL string           `json:"checkout_url,omitempty"`
	CreatedAt   time.Time        `json:"created_at"`
	Usage       UsageRecord      `json:"usage"`
	Monitoring  MonitoringRecord `json:"monitoring"`
	Backups     BackupsRecord    `json:"backups"`
	Activity    []ActivityRecord `json:"activity"`
}

// EngineRecord is an engine that is on. Only the auth engine has SiteURL and
// RedirectURLs.
type EngineRecord struct {
	MemoryMB     int      `json:"memory_mb"`
	Status       string   `json:"status"`
	Port         *int     `json:"port,omitempty"`
	SiteURL      *string  `json:"site_url,omitempty"`
	RedirectURLs []string `json:"redirect_urls,omitzero"`
}

// UsageRecord is an instance's use of its machine.
type UsageRecord struct {
	CPUPercent int     `json:"cpu_percent"`
	MemoryMB   int     `json:"memory_mb"`
	DiskGB     float64 `json:"disk_gb"`
}

// MonitoringRecord is the latest check of an instance's health.
type MonitoringRecord struct {
	Healthy   bool       `json:"healthy"`
	CheckedAt *time.Time `json:"checked_at"`
}

// BackupsRecord summarizes an instance's backups.
type BackupsRecord struct {
	Count  int        `json:"count"`
	LastAt *time.Time `json:"last_at"`
}

// ActivityRecord is a line of an instance's history.
type ActivityRecord struct {
	At     time.Time `json:"at"`
	Type   string    `json:"type"`
	Detail string    `json:"detail"`
}

// InstanceList is a page of the account's instances, in order of creation.
type InstanceList struct {
	Instances []InstanceRecord `json:"instances"`
	// NextCursor is the cursor of the next page, or "" on the last page.
	NextCursor string `json:"next_cursor,omitempty"`
}

// ReadInstance returns one instance as the API shows it.
func (s *Service) ReadInstance(ctx context.Context, id string) (InstanceRecord, error) {
	return lookAt(ctx, s, id, func(st *state, in *instance) (InstanceRecord, error) { return st.record(in), nil })
}

// ListInstances returns a page of at most limit instances, up to PageLimit, after a
// cursor.
func (s *Service) ListInstances(ctx context.Context, cursor string, limit int) (InstanceList, error) {
	if limit < 1 || limit > PageLimit {
		return InstanceList{}, Refuse(InvalidRequest, "limit must be from 1 to %d", PageLimit)
	}
	after, err := readCursor(cursor)
	if err != nil {
		return InstanceList{}, err
	}
	return look(ctx, s, func(st *state) (InstanceList, error) {
		begin := slices.IndexFunc(st.Instances, func(in *instance) bool { return in.Sequence > after })
		if begin < 0 {
			begin = len(st.Instances)
		}
		end := min(begin+limit, len(st.Instances))
		list := InstanceList{Instances: []InstanceRecord{}}
		for _, in := range st.Instances[begin:end] {
			list.Instances = append(list.Instances, st.record(in))
		}
		if end < len(st.Instances) {
			list.NextCursor = writeCursor(st.Instances[end-1].Sequence)
		}
		return list, nil
	})
}

// cursorMark begins the text of a cursor. A cursor identifies the last instance of the
// previous page, so that the next page is correct even if instances were created or deleted
// in between. It is opaque to clients.
const cursorMark = "after:"

func writeCursor(sequence int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + strconv.Itoa(sequence)))
}

func readCursor(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		if number, ok := strings.CutPrefix(string(text), cursorMark); ok {
			if sequence, err := strconv.Atoi(number); err == nil && sequence >= 0 {
				return sequence, nil
			}
		}
	}
	return 0, Refuse(InvalidRequest, "cursor is none that this service gave")
}

// pageOf returns a page of at most limit records, up to PageLimit, after a cursor. all
// has the newest record first. pageOf also returns the cursor of the next page, or "" on
// the last page. The cursor is the number of older records, which later records do not
// change.
func pageOf[T any](all []T, cursor string, limit int) (page []T, next string, err error) {
	if limit < 1 || limit > PageLimit {
		return nil, "", Refuse(InvalidRequest, "limit must be from 1 to %d", PageLimit)
	}
	older, err := readCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	begin := 0
	if cursor != "" {
		begin = max(0, len(all)-older)
	}
	end := min(begin+limit, len(all))
	if end < len(all) {
		next = writeCursor(len(all) - end)
	}
	return all[begin:end], next, nil
}

// record returns an instance as the API shows it.
func (st *state) record(in *instance) InstanceRecord {
	record := InstanceRecord{
		Engines: st.engineRecords(in), Usage: usageOf(in), Monitoring: st.monitoringOf(in),
		Backups: BackupsRecord{Count: len(in.Backups)}, Activity: []ActivityRecord{},
	}
	show(&record, &in.Instance)
	if len(in.Backups) > 0 {
		record.Backups.LastAt = timeOrNil(in.Backups[0].CreatedAt)
	}
	for _, line := range in.Activity[:min(len(in.Activity), activityShown)] {
		record.Activity = append(record.Activity, ActivityRecord(line))
	}
	return record
}

func (st *state) engineRecords(in *instance) map[string]EngineRecord {
	records := map[string]EngineRecord{}
	for name, engine := range in.Engines {
		record := EngineRecord{MemoryMB: engine.MemoryMB, Status: in.Status, Port: st.Catalog.Engines[name].Port}
		// A real engine may have had to use a different port.
		if real := st.endpoints(in).port(name); real != 0 {
			record.Port = &real
		}
		if name == EngineAuth {
			site := engine.SiteURL
			record.SiteURL, record.RedirectURLs = &site, listOf(engine.RedirectURLs)
		}
		records[name] = record
	}
	return records
}

// usageOf computes plausible figures from what runs on the instance. They are constant,
// so that an unchanged record keeps its ETag.
func usageOf(in *instance) UsageRecord {
	if in.Status != StatusRunning {
		return UsageRecord{}
	}
	memory, disk := 120, 1.2
	for _, engine := range in.Engines {
		memory += engine.MemoryMB / 3
		disk += 0.2
	}
	disk += 0.4 * float64(len(in.Apps))
	return UsageRecord{2 + len(in.Engines) + 3*len(in.Apps), memory, math.Round(disk*10) / 10}
}

// monitoringOf returns a health check at the last full minute.
func (st *state) monitoringOf(in *instance) MonitoringRecord {
	if in.Host == "" {
		return MonitoringRecord{}
	}
	return MonitoringRecord{in.healthy(), timeOrNil(st.Now.Truncate(time.Minute))}
}

// listOf returns a copy of a list, and an empty list for a nil one, because their JSON
// differs.
func listOf(items []string) []string {
	if items == nil {
		return []string{}
	}
	return slices.Clone(items)
}
