"""Uploads to the archive."""


def retry_upload(client, path, attempts=3):
    """Upload a file and retry a failed upload with a growing pause."""
    for attempt in range(attempts):
        try:
            return client.upload(path)
        except ConnectionError:
            client.sleep(2**attempt)
    raise TimeoutError(path)
