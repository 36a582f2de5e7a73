package connection

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Ports of the postgres engine (SERVICE.md#connections).
const (
	directPort = "5432"
	pooledPort = "6432"
)

// parsePostgresURL parses a Postgres URL. Its errors quote nothing from the URL, because
// the URL contains a password.
func parsePostgresURL(raw string, argument int64) (*url.URL, *function.FuncError) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, function.NewArgumentFuncError(argument, "it is not a URL")
	case u.Scheme != "postgresql" && u.Scheme != "postgres":
		return nil, function.NewArgumentFuncError(argument, "it must be a Postgres URL, which begins with postgresql://")
	case u.Hostname() == "":
		return nil, function.NewArgumentFuncError(argument, "the URL has no host")
	case strings.Contains(u.Hostname(), ":") && !strings.HasPrefix(u.Host, "["):
		return nil, function.NewArgumentFuncError(argument, "the URL's host must be a name or an address, with an IPv6 address in brackets")
	}
	return u, nil
}

// NewLibpqEnvFunction returns the function libpq_env.
func NewLibpqEnvFunction() function.Function { return &libpqEnvFunction{} }

type libpqEnvFunction struct{}

func (f *libpqEnvFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "libpq_env"
}

func (f *libpqEnvFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "A Postgres URL as libpq's environment variables",
		MarkdownDescription: "Returns a Postgres URL as libpq's environment variables. Use it to run `psql`, `pg_dump` or another client of libpq. " +
			"The variables are `PGHOST`, `PGPORT`, `PGUSER`, `PGPASSWORD`, `PGDATABASE`, `PGSSLMODE` (always `verify-full`) and `PGSSLROOTCERT`. " +
			"`PGPORT` is 5432 if the URL has no port. `PGUSER`, `PGPASSWORD` and `PGDATABASE` are left out if the URL does not have them. " +
			"Each parameter of the URL becomes its variable too, such as `PGOPTIONS` and `PGCONNECT_TIMEOUT`, except `sslmode` and `sslrootcert`. " +
			"A parameter for which libpq has no variable is an error.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "url", MarkdownDescription: "Postgres URL, such as `postgres_owner_url` of the ephemeral resource `hosting_connection`."},
			function.StringParameter{Name: "ca_file", MarkdownDescription: "Path of the file with the instance's CA certificate. It must not be empty."},
		},
		Return: function.MapReturn{ElementType: types.StringType},
	}
}

func (f *libpqEnvFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var raw, caFile string
	if resp.Error = req.Arguments.Get(ctx, &raw, &caFile); resp.Error != nil {
		return
	}
	env, err := libpqEnv(raw, caFile)
	if err != nil {
		resp.Error = err
		return
	}
	resp.Error = resp.Result.Set(ctx, env)
}

func libpqEnv(raw, caFile string) (map[string]string, *function.FuncError) {
	u, err := parsePostgresURL(raw, 0)
	if err != nil {
		return nil, err
	}
	if caFile == "" {
		return nil, function.NewArgumentFuncError(1, "the path of the CA file is empty; write the instance's ca_certificate to a file, and give that file's path")
	}
	env := map[string]string{
		"PGHOST":        u.Hostname(),
		"PGPORT":        u.Port(),
		"PGSSLMODE":     "verify-full",
		"PGSSLROOTCERT": caFile,
	}
	if env["PGPORT"] == "" {
		env["PGPORT"] = directPort
	}
	if user := u.User.Username(); user != "" {
		env["PGUSER"] = user
	}
	if password, ok := u.User.Password(); ok {
		env["PGPASSWORD"] = password
	}
	if database := strings.TrimPrefix(u.Path, "/"); database != "" {
		env["PGDATABASE"] = database
	}
	if err := addParameters(env, u.RawQuery); err != nil {
		return nil, err
	}
	return env, nil
}

// libpqVariables are the variables of libpq for the parameters of a URL (PostgreSQL 18, 32.15).
// Those without a name are set by libpqEnv itself.
var libpqVariables = map[string]string{
	"application_name":         "PGAPPNAME",
	"channel_binding":          "PGCHANNELBINDING",
	"client_encoding":          "PGCLIENTENCODING",
	"connect_timeout":          "PGCONNECT_TIMEOUT",
	"dbname":                   "PGDATABASE",
	"gssdelegation":            "PGGSSDELEGATION",
	"gssencmode":               "PGGSSENCMODE",
	"gsslib":                   "PGGSSLIB",
	"host":                     "PGHOST",
	"hostaddr":                 "PGHOSTADDR",
	"krbsrvname":               "PGKRBSRVNAME",
	"load_balance_hosts":       "PGLOADBALANCEHOSTS",
	"max_protocol_version":     "PGMAXPROTOCOLVERSION",
	"min_protocol_version":     "PGMINPROTOCOLVERSION",
	"options":                  "PGOPTIONS",
	"passfile":                 "PGPASSFILE",
	"password":                 "PGPASSWORD",
	"port":                     "PGPORT",
	"require_auth":             "PGREQUIREAUTH",
	"requirepeer":              "PGREQUIREPEER",
	"service":                  "PGSERVICE",
	"servicefile":              "PGSERVICEFILE",
	"ssl":                      "",
	"ssl_max_protocol_version": "PGSSLMAXPROTOCOLVERSION",
	"ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION",
	"sslcert":                  "PGSSLCERT",
	"sslcertmode":              "PGSSLCERTMODE",
	"sslcompression":           "PGSSLCOMPRESSION",
	"sslcrl":                   "PGSSLCRL",
	"sslcrldir":                "PGSSLCRLDIR",
	"sslkey":                   "PGSSLKEY",
	"sslmode":                  "",
	"sslnegotiation":           "PGSSLNEGOTIATION",
	"sslrootcert":              "",
	"sslsni":                   "PGSSLSNI",
	"target_session_attrs":     "PGTARGETSESSIONATTRS",
	"user":                     "PGUSER",
}

// parameterName matches what is certainly a name and no part of a password.
var parameterName = regexp.MustCompile(`^[a-z][a-z_]*$`)

// addParameters adds the variables for the parameters of a URL. As in libpq, the last of
// two counts, and a plus is not a space.
func addParameters(env map[string]string, query string) *function.FuncError {
	for parameter := range strings.SplitSeq(query, "&") {
		if parameter == "" {
			continue
		}
		name, escaped, hasValue := strings.Cut(parameter, "=")
		value, err := url.PathUnescape(escaped)
		variable, known := libpqVariables[name]
		switch {
		case err != nil || !hasValue || !parameterName.MatchString(name):
			return function.NewArgumentFuncError(0, "the URL has a parameter that cannot be read: each must have the form name=value")
		case !known:
			return function.NewArgumentFuncError(0, "libpq has no environment variable for the URL's parameter "+name+"; remove it")
		case variable != "":
			env[variable] = value
		}
	}
	return nil
}

// NewPooledURLFunction returns the function pooled_url.
func NewPooledURLFunction() function.Function { return &pooledURLFunction{} }

type pooledURLFunction struct{}

func (f *pooledURLFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "pooled_url"
}

func (f *pooledURLFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "A Postgres URL on the pooled port",
		MarkdownDescription: "Returns a Postgres URL with the pooled port, 6432. Use it for apps with ordinary transactions. " +
			"Migrations, LISTEN/NOTIFY, session-level settings and advisory locks need the direct port.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "url", MarkdownDescription: "Postgres URL on the direct port."},
		},
		Return: function.StringReturn{},
	}
}

func (f *pooledURLFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var raw string
	if resp.Error = req.Arguments.Get(ctx, &raw); resp.Error != nil {
		return
	}
	pooled, err := pooledURL(raw)
	if err != nil {
		resp.Error = err
		return
	}
	resp.Error = resp.Result.Set(ctx, pooled)
}

func pooledURL(raw string) (string, *function.FuncError) {
	u, err := parsePostgresURL(raw, 0)
	if err != nil {
		return "", err
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host + ":" + pooledPort
	return u.String(), nil
}

// NewWebhookSignatureFunction returns the function webhook_signature.
func NewWebhookSignatureFunction() function.Function { return &webhookSignatureFunction{} }

type webhookSignatureFunction struct{}

func (f *webhookSignatureFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "webhook_signature"
}

func (f *webhookSignatureFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The signature of a webhook delivery",
		MarkdownDescription: "Returns the signature of a webhook delivery, the value of the header `X-Service-Signature`. Use it to test a receiver. " +
			"It is `sha256=` and the hexadecimal HMAC-SHA256 of the raw body with the endpoint's secret.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "body", MarkdownDescription: "Raw body of the delivery."},
			function.StringParameter{Name: "secret", MarkdownDescription: "Secret of the endpoint."},
		},
		Return: function.StringReturn{},
	}
}

func (f *webhookSignatureFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var body, secret string
	if resp.Error = req.Arguments.Get(ctx, &body, &secret); resp.Error != nil {
		return
	}
	if secret == "" {
		resp.Error = function.NewArgumentFuncError(1, "the secret is empty")
		return
	}
	resp.Error = resp.Result.Set(ctx, webhookSignature(body, secret))
}

func webhookSignature(body, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
