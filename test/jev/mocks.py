"""Serves jevcompat's reference mock once for each fault, and once without; prints their addresses as one line of JSON."""
import json
import sys
import threading

from jevcompat.mock import FAULTS, MockConfig, make_server

KEY = sys.argv[1]
urls = {}
for name in ["", *FAULTS]:
    config = MockConfig(key=KEY if name.startswith("auth-") and name != "auth-rejects-header" else None, faults=frozenset([name] if name else []))
    server = make_server(config)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    urls[name] = "http://127.0.0.1:%d" % server.server_address[1]
print(json.dumps(urls), flush=True)
sys.stdin.read()
