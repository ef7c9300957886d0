"""A small hub with the standard library alone: python3 hub.py WORLD TOKENS [PORT]

It reads an apply file, writes new hub tokens to the file TOKENS, and issues storage tokens.
"""

import base64, hashlib, hmac, json, os, re, secrets, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

world = json.load(open(sys.argv[1], encoding="utf-8"))
repositories = {(one["type"], one["id"]): one for one in world["repositories"]}
members = {one["name"]: one["members"] for one in world["namespaces"]}
hub_tokens = {f"hub_{secrets.token_urlsafe(32)}": one for one in world["hubTokens"]}
signing_key, lifetime_seconds = secrets.token_bytes(32), 900
route = re.compile(r"/api/(model|dataset|space)s/([^/]+/[^/]+)/storage-(read|write)-token/(.+)")


def has_revision(repository, name):
    heads = repository["branches"]
    commits = [head["commit"] if isinstance(head, dict) else head for head in heads.values()]
    others = [repository.get(part, {}) for part in ("tags", "refs", "commits")]
    return re.sub("^refs/(heads|tags)/", "", name) in [*heads, *commits] or any(name in row for row in others)


def may(token, repository, scope):
    role = members[repository["id"].split("/")[0]].get(token["account"])
    if scope == "write":
        return role == "write" and token["kind"] != "read"
    return role is not None or repository["visibility"] == "public"


def sign(claims):
    text = base64.urlsafe_b64encode(json.dumps(claims).encode())
    return f"{text.decode()}.{hmac.new(signing_key, text, hashlib.sha256).hexdigest()}"


def decide(path, authorization, host):
    found, token = route.fullmatch(path), hub_tokens.get(authorization.removeprefix("Bearer "))
    if found is None:
        return 404, {"error": "no such path"}
    if token is None:
        return 401, {"error": "send a hub token"}
    kind, name, scope, revision = map(unquote, found.groups())
    repository = repositories.get((kind, name))
    if repository is None or not has_revision(repository, revision):
        return 404, {"error": "no such repository or revision"}
    if not may(token, repository, scope):
        return 403, {"error": "no permission"}
    exp = int(time.time()) + lifetime_seconds
    claims = {"repo": name, "ref": revision, "scope": scope, "exp": exp, "id": secrets.token_hex(8)}
    return 200, {"accessToken": sign(claims), "exp": exp, "casUrl": f"http://{host}/cas"}


class Handler(BaseHTTPRequestHandler):
    protocol_version, wbufsize, log_message = "HTTP/1.1", -1, lambda *_: None

    def do_GET(self):
        headers = self.headers
        status, answer = decide(self.path, headers.get("Authorization", ""), headers["Host"])
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    rows = [{**{key: one[key] for key in ("account", "name")}, "token": token} for token, one in hub_tokens.items()]
    with os.fdopen(os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "w") as file:
        json.dump({"hubTokens": rows}, file)
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[3]) if sys.argv[3:] else 8080), Handler)
    print(f"ready at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
