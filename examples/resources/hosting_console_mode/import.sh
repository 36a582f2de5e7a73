terraform import hosting_console_mode.example i-abc123
