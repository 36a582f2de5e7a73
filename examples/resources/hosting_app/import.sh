terraform import hosting_app.example i-abc123/web
