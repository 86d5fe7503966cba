# Connections that ask for nothing, or send a request a letter at a time, hold every place of the HTTP port.
import json
import socket
import subprocess
import time
import urllib.request

status = json.loads(subprocess.run(["weft", "status", "--json"], capture_output=True, check=False).stdout)
url = status["jvms"][0]["url"]
host, port = url.removeprefix("http://").split(":")
held = []
for number in range(300):
    one = socket.create_connection((host, int(port)))
    if number % 2:
        one.sendall(b"GET /weft HTTP/1.1\r\nX: ")
    held.append(one)
for letter in range(3):
    with urllib.request.urlopen(url + "/alive", timeout=60) as answer:
        assert answer.status == 200, answer.status
    for one in held:
        try:
            one.sendall(b"x")
        except OSError:
            pass  # It was ended for its slowness.
    time.sleep(1)
code = subprocess.run(["weft", "status"], stdout=subprocess.DEVNULL, check=False).returncode
assert code in (0, 1), f"weft status ended with {code}"
held[-1].settimeout(120)
try:
    while held[-1].recv(4096):
        pass
except ConnectionError:
    pass  # What counts is that it does not last.
