terraform import hosting_auth_settings.example i-abc123
