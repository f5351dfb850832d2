"""The client against a running service, which app/tests/clients starts: ARPENT_TEST is a file that says where it is, with its keys and
the calls to make."""

from __future__ import annotations

import concurrent.futures
import http.server
import json
import os
import pathlib
import threading
import time
import unittest
import urllib.error

from arpent import Arpent, ArpentError

GIVEN = json.loads(pathlib.Path(os.environ["ARPENT_TEST"]).read_text("utf-8"))


def client(key: str | None, **more) -> Arpent:
    return Arpent(GIVEN["baseUrl"], key, **more)


class ClientTest(unittest.TestCase):
    def failure(self, call, *args, **more) -> ArpentError:
        """The error that a call ends with."""
        with self.assertRaises(ArpentError) as caught:
            call(*args, **more)
        return caught.exception

    def answering(self, *answers) -> tuple[str, list[str]]:
        """A server that gives the answers (status, headers, body) in turn, and the last one again; None: none at all."""
        paths: list[str] = []
        closed = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer = answers[min(len(paths), len(answers) - 1)]
                paths.append(self.path)
                if answer is None:
                    closed.wait()
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(closed.set)
        return f"http://127.0.0.1:{server.server_port}", paths

    def test_every_operation(self) -> None:
        arpent = client(GIVEN["key"])
        for call in GIVEN["calls"]:
            with self.subTest(call["operation"]):
                answer = getattr(arpent, call["operation"])(*call["path"].values(), **call["query"])
                self.assertEqual(answer, call["body"])

    def test_limit_of_the_minute(self) -> None:
        """Calls keep to it, one after another and at a time."""
        arpent, statuses = client(GIVEN["minute"]["python"]), []
        real = arpent._opener.open

        def noted(*args, **more):
            try:
                answer = real(*args, **more)
            except urllib.error.HTTPError as error:
                statuses.append(error.code)
                raise
            statuses.append(answer.status)
            return answer

        arpent._opener.open = noted

        def report() -> str:
            return arpent.get_parcel_enrichments("930100000A0001", fields=["radon"])["idu"]

        def region() -> str:
            return arpent.get_region("11")["name"]

        answers = [region(), report(), region()]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            rest = [pool.submit(region if n % 5 else report) for n in range(GIVEN["perMinute"])]
            answers += [answer.result() for answer in rest]
        self.assertEqual(answers.count("Île-de-France"), GIVEN["perMinute"])
        self.assertEqual(answers.count("930100000A0001"), 3)
        self.assertEqual(statuses, [200] * len(answers), "no request was refused")

        # A client that knows nothing of what was used is refused, and reports it at once where waiting would
        # take too long.
        def until_refused() -> None:
            for _ in range(GIVEN["perMinute"] + 1):
                client(GIVEN["minute"]["python"], max_wait=1).list_regions()

        error = self.failure(until_refused)
        self.assertEqual((error.code, error.status), ("rate_limited", 429))
        self.assertGreater(error.retry_after, 1)

    def test_report_that_took_the_last_place(self) -> None:
        """It says nothing of the next one."""

        def full(reset: int) -> tuple[int, dict[str, str], bytes]:
            return 200, {"RateLimit": f'"minute";r=0;t={reset}'}, b"{}"

        url, paths = self.answering(full(1), full(60))
        arpent = Arpent(url)
        arpent.list_regions()
        arpent.get_parcel_enrichments("930100000A0001")  # waits for the place that becomes free
        threading.Thread(target=arpent.list_regions, daemon=True).start()
        time.sleep(0.5)
        self.assertEqual(len(paths), 2)

    def test_used_quota(self) -> None:
        error = self.failure(client(GIVEN["spent"], max_wait=1e6).list_regions)
        self.assertEqual((error.code, error.status), ("quota_exceeded", 429))
        self.assertIn("requests are used up", error.message)

    def test_errors_say_all_that_the_api_says(self) -> None:
        wrong = self.failure(client("wrong").list_regions)
        self.assertEqual((wrong.code, wrong.status, str(wrong)), ("invalid_api_key", 401, wrong.message))
        self.assertRegex(wrong.documentation, "/docs/errors#invalid_api_key$")
        self.assertTrue(wrong.request_id and wrong.message)
        missing = self.failure(client(GIVEN["key"]).get_commune, "93999")
        self.assertEqual((missing.code, missing.status), ("not_found", 404))
        invalid = self.failure(client(GIVEN["key"]).get_commune, "93010", include=["nothing"])
        self.assertEqual((invalid.code, invalid.status), ("invalid_parameter", 400))

    def test_code_is_a_part_of_the_path(self) -> None:
        for code in ("", ".", ".."):
            self.assertEqual(self.failure(client(GIVEN["key"]).get_region, code).code, "invalid_parameter")
        self.assertIn(self.failure(client(GIVEN["key"]).get_region, "11/../11?include=geometry").status, (400, 404))

    def test_key_from_the_environment(self) -> None:
        os.environ["ARPENT_KEY"] = GIVEN["key"]
        self.addCleanup(os.environ.pop, "ARPENT_KEY")
        self.assertGreater(client(None).list_regions()["count"], 0)

    def test_refused_for_a_while(self) -> None:
        busy = (503, {"Retry-After": "1"}, b"")
        base, paths = self.answering(busy, (200, {}, b'{"count": 18}'))
        self.assertEqual(Arpent(base).list_regions(), {"count": 18})
        self.assertEqual(len(paths), 2)
        base, paths = self.answering(busy)
        error = self.failure(Arpent(base, max_wait=2).list_regions)
        self.assertEqual((error.status, error.code, len(paths)), (503, "unexpected_answer", 3))

    def test_other_refusals(self) -> None:
        for status in (400, 401, 403, 404, 500, 502):
            base, paths = self.answering((status, {"Retry-After": "1"}, b"<html>"))
            error = self.failure(Arpent(base).list_regions)
            self.assertEqual((error.status, error.code, len(paths)), (status, "unexpected_answer", 1))

    def test_key_goes_to_no_other_address(self) -> None:
        other, reached = self.answering((200, {}, b"{}"))
        base, _ = self.answering((302, {"Location": other}, b""))
        self.assertEqual(self.failure(Arpent(base, "secret").list_regions).status, 302)
        self.assertEqual(reached, [])

    def test_no_answer(self) -> None:
        base, _ = self.answering(None)
        error = self.failure(Arpent(base, timeout=0.2).list_regions)
        self.assertEqual((error.code, error.status), ("timeout", None))
        error = self.failure(Arpent("http://127.0.0.1:1").list_regions)
        self.assertEqual((error.code, error.status), ("network_error", None))
        base, _ = self.answering((200, {}, b"<html>"))
        self.assertEqual(self.failure(Arpent(base).list_regions).code, "unexpected_answer")
        with self.assertRaises(ValueError):
            Arpent("api.example.org")


if __name__ == "__main__":
    unittest.main()
