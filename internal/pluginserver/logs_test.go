package pluginserver

import "testing"

func TestLogsWanted(t *testing.T) {
	for _, test := range []struct {
		environment []string
		want        bool
	}{
		{nil, false},
		{[]string{"PATH=/bin", "HOME=/"}, false},
		{[]string{"TF_LOG=DEBUG"}, true},
		{[]string{"TF_LOG="}, false},
		{[]string{"TF_LOG=off"}, false},
		{[]string{"TF_LOG=OFF", "TF_LOG_PROVIDER=trace"}, true},
		{[]string{"TF_LOG_CORE=trace"}, true},
		{[]string{"TF_LOG_SDK_PROTO=warn"}, true},
		{[]string{"TF_LOG_SDK_PROTO_DATA_DIR=/tmp/data"}, true}, // it asks for the transmitted data
		{[]string{"TF_LOG_PROVIDER_HOSTING=INFO"}, true},
		{[]string{"TF_LOG_PATH=/tmp/log"}, false},
		{[]string{"TF_LOG_PATH_MASK=/tmp/%s"}, false},
		{[]string{"TF_LOGIN=yes"}, false},
		{[]string{"MY_TF_LOG=DEBUG"}, false},
		{[]string{"TF_LOG_PATH=/tmp/log", "TF_LOG=json"}, true},
	} {
		if got := LogsWanted(test.environment); got != test.want {
			t.Errorf("LogsWanted(%q) = %t, want %t", test.environment, got, test.want)
		}
	}
}
