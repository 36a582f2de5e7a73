package base

import "time"

// SettingTimeout is the default time for a change of a setting or an extension.
const SettingTimeout = 20 * time.Minute
