from __future__ import annotations


class ArpentError(Exception):
    """A call that failed.

    code           what went wrong, for programs: a code of the API, or timeout, network_error, unexpected_answer
    message        the same in a sentence, for people
    status         status of the answer; None where there was none
    request_id     identifier of the request, to be quoted to the operator
    documentation  address of the page that explains the code
    retry_after    seconds after which the same call may succeed, where the API gives them
    """

    def __init__(self, code: str, message: str, status: int | None = None, request_id: str | None = None,
                 documentation: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.documentation = documentation
        self.retry_after = retry_after
