terraform import hosting_instance.example i-abc123
