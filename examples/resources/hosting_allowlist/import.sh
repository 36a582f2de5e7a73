terraform import hosting_allowlist.example i-abc123
