package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// get reads one JSON answer of the fake. The API requires the key, and the control routes
// require the token.
func (f *fakeProcess) get(ctx context.Context, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.origin+path, nil)
	if err != nil {
		return err
	}
	credential := f.key
	if strings.HasPrefix(path, "/_fake/") {
		credential = f.token
	}
	request.Header.Set("Authorization", "Bearer "+credential)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s answered %s", path, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	return nil
}

// process returns the id of an engine's process, or 0 if none runs.
func (f *fakeProcess) process(ctx context.Context, engine string) (int, error) {
	var answer struct {
		Processes []struct {
			Engine string `json:"engine"`
			PID    int    `json:"pid"`
		} `json:"processes"`
	}
	if err := f.get(ctx, "/_fake/processes", &answer); err != nil {
		return 0, err
	}
	for _, process := range answer.Processes {
		if process.Engine == engine {
			return process.PID, nil
		}
	}
	return 0, nil
}

// appLog returns the end of an app's output.
func (f *fakeProcess) appLog(ctx context.Context, instance, app string) (string, error) {
	var answer struct {
		Log string `json:"log"`
	}
	err := f.get(ctx, "/_fake/apps/"+instance+"/"+app+"/log", &answer)
	return answer.Log, err
}

// catalogue picks one of the available plans and regions.
func (f *fakeProcess) catalogue(ctx context.Context) (catalogue, error) {
	var offered struct {
		Plans     []plan   `json:"plans"`
		Locations []region `json:"locations"`
	}
	for _, path := range []string{"/api/v1/plans", "/api/v1/locations"} {
		if err := f.get(ctx, path, &offered); err != nil {
			return catalogue{}, err
		}
	}
	return choose(offered.Plans, offered.Locations)
}

// left returns the number of records that an empty account would not have.
func (f *fakeProcess) left(ctx context.Context) (int, error) {
	var answer struct {
		Total *int `json:"total"`
	}
	if err := f.get(ctx, "/_fake/left", &answer); err != nil {
		return 0, err
	}
	if answer.Total == nil {
		return 0, fmt.Errorf("GET /_fake/left answered no total")
	}
	return *answer.Total, nil
}

// violations returns the exchanges that violated the API document.
func (f *fakeProcess) violations(ctx context.Context) ([]string, error) {
	var answer struct {
		Violations []string `json:"violations"`
	}
	err := f.get(ctx, "/_fake/violations", &answer)
	return answer.Violations, err
}

// loggedWork is a job or a build in the fake's log.
type loggedWork struct {
	ID         string `json:"id"`
	InstanceID string `json:"instance_id"`
	Operation  string `json:"operation"`
	// App is the app of a build.
	App      string `json:"app"`
	Status   string `json:"status"`
	Progress int    `json:"progress"`
	// Started and Finished are by the fake's clock, RealStarted and RealFinished by the
	// machine's. They are null until that time.
	Started      *time.Time `json:"started_at"`
	Finished     *time.Time `json:"finished_at"`
	RealStarted  *time.Time `json:"real_started_at"`
	RealFinished *time.Time `json:"real_finished_at"`
}

// work returns every job and build that the fake has logged.
func (f *fakeProcess) work(ctx context.Context) ([]loggedWork, error) {
	var logged struct {
		Jobs   []loggedWork `json:"jobs"`
		Builds []loggedWork `json:"builds"`
	}
	if err := f.get(ctx, "/_fake/jobs", &logged); err != nil {
		return nil, err
	}
	for i := range logged.Builds {
		logged.Builds[i].Operation = buildOperation
	}
	return append(logged.Jobs, logged.Builds...), nil
}

// timeline reads the fake's log so far.
func (f *fakeProcess) timeline(ctx context.Context) (timeline, error) {
	var requests struct {
		Requests []struct {
			Method string    `json:"method"`
			RealAt time.Time `json:"real_at"`
		} `json:"requests"`
	}
	if err := f.get(ctx, "/_fake/requests", &requests); err != nil {
		return timeline{}, err
	}
	logged, err := f.work(ctx)
	if err != nil {
		return timeline{}, err
	}

	var read timeline
	for _, request := range requests.Requests {
		if request.Method == http.MethodPost {
			read.firstPOST = request.RealAt
			break
		}
	}
	for _, work := range logged {
		if work.Started == nil || work.Finished == nil || work.RealFinished == nil {
			return timeline{}, fmt.Errorf("the %s of %s has not settled", work.Operation, work.InstanceID)
		}
		read.tasks = append(read.tasks, task{
			instance:  work.InstanceID,
			operation: work.Operation,
			took:      work.Finished.Sub(*work.Started),
			settled:   *work.RealFinished,
		})
	}
	return read, nil
}
