"""How an endpoint is reached, and what it and everybody else gets to see of keys and of the environment."""

from __future__ import annotations

import datetime as dt
import os
import shlex
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import connote
from connote.config import load
from connote.embed import Embedder, EmbedOptions, open_embedder
from connote.embed.address import address_of
from connote.errors import EmbedError

pytestmark = pytest.mark.usefixtures("impatient")
CANARY = "sk-canary-5d1f0b7c9e"
FILES = {
    "a.py": "def try_again(request):\n    '''Wait longer after each failure.'''\n    return backoff(request)\n",
    "b.py": "class Palette:\n    red = '#f00'\n    green = '#0f0'\n",
}


def opened(base_url: str, **options: Any) -> Embedder:
    return open_embedder(EmbedOptions(provider="openai", base_url=base_url, model="m", **options))


# R041: only one form of the address works.
@pytest.mark.parametrize("form", ["{}", "{}/", "{}/v1", "{}/v1/", "{}/v1/embeddings", " {}/v1/embeddings/ "])
def test_every_usual_form_of_an_address_works(endpoint: Any, form: str) -> None:
    model = opened(form.format(endpoint.url.removesuffix("/v1")))

    model.embed_query("where")

    assert {"/v1/embeddings"} == set(endpoint.paths)
    assert model.fingerprint() == opened(endpoint.url).fingerprint(), "it is the same index, however it is written"


@pytest.mark.parametrize(
    ("form", "url", "query"),
    [
        ("", "https://api.openai.com/v1", ()),
        ("localhost:11434", "http://localhost:11434/v1", ()),
        ("192.168.1.20:8080/v1", "http://192.168.1.20:8080/v1", ()),
        ("api.voyageai.com", "https://api.voyageai.com/v1", ()),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1", ()),
        ("http://[::1]:8080", "http://[::1]:8080/v1", ()),
        (
            "https://x.openai.azure.com/openai/deployments/d/embeddings?api-version=2024-10-21",
            "https://x.openai.azure.com/openai/deployments/d",
            (("api-version", "2024-10-21"),),
        ),
        (
            "https://x.openai.azure.com/?api-version=2024-10-21",
            "https://x.openai.azure.com/openai/deployments/m",
            (("api-version", "2024-10-21"),),
        ),
        ("https://x.openai.azure.com", "https://x.openai.azure.com/openai/v1", ()),
    ],
)
def test_what_an_address_means(form: str, url: str, query: tuple[tuple[str, str], ...]) -> None:
    address = address_of(form, "m")

    assert (url, query) == (address.url, address.query)


@pytest.mark.parametrize("form", ["ftp://x", "http://", "http://x:port", "http://[::1"])
def test_what_is_no_address_is_said_and_stops_nothing(form: str) -> None:
    with pytest.raises(EmbedError, match=r"embed\.base_url is no address"):
        opened(form).embed_query("where")


def test_azure_gets_its_version_and_its_own_header(endpoint: Any) -> None:
    url = endpoint.url.replace("/v1", "/openai/deployments/d/embeddings?api-version=2024-10-21")

    opened(url, api_key=CANARY).embed_query("where")

    assert {"/openai/deployments/d/embeddings?api-version=2024-10-21"} == set(endpoint.paths)
    assert CANARY == endpoint.headers[0]["api-key"]
    assert "authorization" not in endpoint.headers[0]


def test_an_address_of_ipv6_is_reached(serve: Callable[..., Any]) -> None:
    try:
        endpoint = serve(socket.AF_INET6)
    except OSError as error:
        pytest.skip(f"this machine has no IPv6 ({error}): not shown that an endpoint is reached by it")

    assert 256 == len(opened(endpoint.url).embed_query("where"))


# R041: a redirect makes a GET of the POST. Besides, code is sent where the user said, not where a server says.
def test_a_redirect_is_not_followed_but_told(endpoint: Any) -> None:
    endpoint.always = "redirect"

    with pytest.raises(
        EmbedError, match=r"redirects to http://127.0.0.1:.*/elsewhere/v1, and nothing is sent"
    ) as caught:
        opened(endpoint.url).embed_query("where")

    assert "secret" not in str(caught.value)
    assert ["/v1/embeddings"] == endpoint.paths


def test_a_wrong_address_is_told_from_a_wrong_key(endpoint: Any) -> None:
    for status, told in (
        ("404", "embed.base_url"),
        ("405", "embed.base_url"),
        ("401", "refuses the key"),
        ("403", "refuses the key"),
    ):
        endpoint.always = status
        with pytest.raises(EmbedError, match=told) as caught:
            list(opened(endpoint.url, api_key=CANARY, batch_size=1, concurrency=4).parts(["a", "b", "c"]))
        assert CANARY not in str(caught.value)
        assert caught.value.retry_after is None
    assert 4 == len(endpoint.requests), "what cannot get better is not tried again"


def test_only_what_the_options_say_is_sent(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", f"env-{CANARY}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Custom: env-{CANARY}")

    opened(endpoint.url, headers=("X-Team: search", "Accept-Language: de")).embed_query("where")

    sent = endpoint.headers[0]
    assert CANARY not in str(sent)
    assert ("search", "de", "connote") == (sent["x-team"], sent["accept-language"], sent["user-agent"])
    assert {
        "host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent",
        "x-team", "accept-language",
    } == set(sent)  # fmt: skip


def test_openais_own_variable_is_for_openais_own_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)

    assert "" == load(None)[0].embed.api_key
    monkeypatch.setenv("CONNOTE_EMBED_PROVIDER", "openai")
    assert CANARY == load(None)[0].embed.api_key
    monkeypatch.setenv("CONNOTE_EMBED_BASE_URL", "http://127.0.0.1:9/v1")
    assert "" == load(None)[0].embed.api_key


@pytest.mark.parametrize("header", ["no value", ": x", "X-A: b\nX-C: d", "X-A: ü"])
def test_a_header_that_is_none_is_told_without_its_value(endpoint: Any, header: str) -> None:
    with pytest.raises(EmbedError, match=r"embed\.headers"):
        opened(endpoint.url, headers=(header,)).embed_query("where")

    assert [] == endpoint.requests


def test_a_command_prints_the_key_once_and_again_when_it_is_refused(endpoint: Any, tmp_path: Path) -> None:
    counter = tmp_path / "runs"
    code = f"from pathlib import Path; p = Path({str(counter)!r}); n = len(p.read_text()) if p.exists() else 0; "
    code += f"p.write_text('x' * (n + 1)); print('{CANARY}-' + str(n))"
    command = shlex.join([sys.executable, "-c", code])
    endpoint.key = f"{CANARY}-0"
    model = opened(endpoint.url, api_key_command=command)
    model.embed_query("one")
    model.embed_query("two")
    assert "x" == counter.read_text()

    endpoint.key = f"{CANARY}-1"
    model.embed_query("three")
    assert "xx" == counter.read_text()

    endpoint.key = "another"
    with pytest.raises(EmbedError, match="refuses the key") as caught:
        model.embed_query("four")
    assert "xxx" == counter.read_text()
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("code", [f"print('{CANARY}'); raise SystemExit(3)", "print()", f"print('{CANARY}\\nä')", None])
def test_a_command_that_prints_no_key_is_told_without_what_it_prints(endpoint: Any, code: str | None) -> None:
    command = "no-such-program-of-connote" if code is None else shlex.join([sys.executable, "-c", code])

    with pytest.raises(EmbedError, match=r"embed\.api_key_command prints no key") as caught:
        opened(endpoint.url, api_key_command=command).embed_query("where")

    assert CANARY not in str(caught.value)
    assert [] == endpoint.requests


def test_a_proxy_is_asked_for_the_endpoint(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = endpoint.url.removesuffix("/v1")

    opened("http://models.example/v1", proxy=proxy).embed_query("where")
    monkeypatch.setenv("HTTP_PROXY", proxy)
    opened("http://models.example/v1").embed_query("where")

    assert ["http://models.example/v1/embeddings"] * 4 == endpoint.paths


def test_a_certificate_of_ones_own_is_trusted_when_named(endpoint: Any, tmp_path: Path) -> None:
    certificate, key = _certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    endpoint.socket = context.wrap_socket(endpoint.socket, server_side=True)
    url = endpoint.url.replace("http:", "https:")

    assert 256 == len(opened(url, ca_file=str(certificate)).embed_query("where"))
    with pytest.raises(EmbedError, match="cannot be reached"):
        opened(url).embed_query("where")
    with pytest.raises(EmbedError, match=r"embed\.ca_file is of no use"):
        opened(url, ca_file=str(tmp_path / "none.pem")).embed_query("where")


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that nobody else vouches for, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "connote")])
    now = dt.datetime.now(dt.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.TraditionalOpenSSL
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    return certificate, secret


def test_nothing_is_sent_before_somebody_indexes_or_asks(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any
) -> None:
    embed = EmbedOptions(provider="openai", base_url=endpoint.url, model="m", api_key=CANARY, price=2.5)
    with connote.open(tree(FILES), replace(load(None)[0], embed=embed, index_dir=tmp_path / "indexes")) as index:
        found = index.estimate()
        index.status()

        assert (2, 2, 2) == (found.files, found.chunks, found.texts)
        assert found.tokens * 2.5 / 1_000_000 == found.cost
        assert [] == endpoint.requests
        index.sync()
        assert 2 == endpoint.sent
        assert (0, 0.0) == (index.estimate().tokens, index.estimate().cost)


def test_a_restart_pays_for_nothing_twice(tree: Callable[..., Path], tmp_path: Path, endpoint: Any) -> None:
    files = {f"m{n}.py": f"def step_{n}(order):\n    return order + {n}\n" for n in range(12)}
    embed = EmbedOptions(provider="openai", base_url=endpoint.url, model="m", batch_size=2)
    settings = replace(load(None)[0], embed=embed, index_dir=tmp_path / "indexes")
    root = tree(files)
    # The probe and three requests are answered; then the endpoint is gone, and with it the process.
    endpoint.faults.extend(["ok"] * 4)
    endpoint.always = "drop"
    with connote.open(root, settings) as index:
        assert 6 == index.sync().embedded

    endpoint.always = "ok"
    with connote.open(root, settings) as index:
        assert 6 == index.sync().embedded
        assert ("ready", 256) == (index.status().state, index.status().dimensions)
    endpoint.answered.pop("connote")
    assert {1} == set(endpoint.answered.values())
    assert 12 == len(endpoint.answered)


# R100: a key in what is logged, told, or seen by others. In the long form each way of giving it meets each answer.
@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(),
    reason="without Linux's /proc nobody sees what processes were given: that no key is there is not shown",
)
def test_no_key_is_anywhere(
    tree: Callable[..., Path], endpoint: Any, hosted: None, until: Callable[[Callable[[], Any]], Any]
) -> None:
    root = tree(FILES)
    index_dir = Path(os.environ["CONNOTE_INDEX_DIR"])
    secret = root.parent / "secret"
    secret.write_text(CANARY, encoding="utf-8")
    user_file = Path(platformdirs.user_config_dir("connote", appauthor=False)) / "connote.toml"
    user_file.parent.mkdir(parents=True)
    ways = {
        "variable": {"CONNOTE_EMBED_API_KEY": CANARY},
        "user file": {},
        "command": {
            "CONNOTE_EMBED_API_KEY_COMMAND": shlex.join([sys.executable, "-c", f"print(open({str(secret)!r}).read())"])
        },
    }
    texts: dict[str, bytes] = {}

    def run(way: str, *arguments: str) -> str:
        if way == "user file":
            user_file.write_text(f"embed.api_key = '{CANARY}'\n", encoding="utf-8")
        else:
            user_file.unlink(missing_ok=True)
        variables = {"PROVIDER": "openai", "BASE_URL": endpoint.url, "MODEL": "m", "HEADERS": f"X-Extra: {CANARY}"}
        variables = {f"CONNOTE_EMBED_{name}": value for name, value in variables.items()}
        done = subprocess.run(
            [sys.executable, "-m", "connote", *arguments],
            cwd=root,
            env={**os.environ, **variables, **ways[way]},
            capture_output=True,
            check=False,
            timeout=120,
        )
        texts[f"output of {arguments} by {way} {len(texts)}"] = done.stdout + done.stderr
        return (done.stdout + done.stderr).decode()

    endpoint.key = "another"  # it refuses the key, and repeats it
    assert "refuses the key" in run("variable", "index", "--format", "json") + run("variable", "status")
    endpoint.key = CANARY
    if os.environ.get("CONNOTE_TEST_FULL"):
        for way in ways:
            for always in ("401", "400", "500", "nonsense", "ok"):
                endpoint.always = always
                for arguments in (("index", "--rebuild"), ("search", "palette"), ("status",), ("doctor",)):
                    run(way, *arguments)
    assert "a.py" in run("user file", "search", "wait longer after each failure")
    assert "a.py" in run("command", "search", "who waits longer after each failure")
    assert f"Bearer {CANARY}" == endpoint.headers[-1]["authorization"]
    assert CANARY == endpoint.headers[-1]["x-extra"]

    (host,) = [int(file.read_text().split()[0]) for file in index_dir.rglob("host.lock") if file.read_text().strip()]
    for process in _family([host]):
        for name in ("cmdline", "environ"):
            texts[f"{name} of {process}"] = Path(f"/proc/{process}/{name}").read_bytes()
    os.kill(host, signal.SIGSEGV)
    (log,) = index_dir.rglob("host.log")
    until(lambda: b"Fatal Python error" in log.read_bytes())
    for folder in (index_dir, root):
        texts.update({str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()})

    assert [] == [name for name, text in texts.items() if CANARY.encode() in text]


def _family(processes: list[int]) -> list[int]:
    """These processes and all that they started."""
    found = list(processes)
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent in found:
            found.append(int(status.parent.name))
    return found
