package nats

import (
	"os"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
)

func TestMain(m *testing.M) { os.Exit(tier.Change.Run(m)) }
