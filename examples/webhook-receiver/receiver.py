# receiver.py
# Verifies deliveries of the hosting service and prints each event once.
import hashlib
import hmac
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "").encode()
if not SECRET:
    raise SystemExit("WEBHOOK_SECRET is empty")
MAX_BODY = 1 << 20
handled = set()  # Keep the ids in a database: a restart forgets these.
lock = threading.Lock()


# The event is delivered again unless handle returns within 10 seconds.
def handle(event):
    subject = event["instance_id"] or "the account"
    print(event["at"], event["type"], "of", subject + ":", json.dumps(event["data"]), flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        status = 500  # The service delivers the event again.
        try:
            status = self.receive()
        finally:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    def receive(self):
        length = int(self.headers.get("Content-Length", -1))
        if length < 0:
            return 411
        if length > MAX_BODY:
            return 413
        # The signature is of the raw body. Parse the body only after the check.
        body = self.rfile.read(length)
        want = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        got = self.headers.get("X-Service-Signature", "")
        if not hmac.compare_digest(got.encode(), want.encode()):
            return 401
        event = json.loads(body)
        with lock:
            if event["id"] not in handled:
                handle(event)
                handled.add(event["id"])
        return 204

    def log_message(self, *args):  # Only events are printed.
        pass


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "9000"))), Receiver)
print("listening on port", server.server_port, flush=True)
server.serve_forever()
