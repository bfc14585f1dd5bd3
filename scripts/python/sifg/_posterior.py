"""The program that sifg.sample names to the command: it passes messages between that and the process whose model it
is."""

import os
import socket
import threading


def pump(source: int, to: int) -> None:
    """Copies bytes until there are no more."""
    while data := os.read(source, 1 << 20):
        view = memoryview(data)
        while view:
            view = view[os.write(to, view) :]


def main() -> None:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ["SIFG_MODEL"])

    def ask() -> None:
        pump(0, connection.fileno())
        connection.shutdown(socket.SHUT_WR)

    threading.Thread(target=ask, daemon=True).start()
    pump(connection.fileno(), 1)


if __name__ == "__main__":
    main()
