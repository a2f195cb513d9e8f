"""The process that indexes a large catalogue. It reads the services from standard input."""

import sys
from pathlib import Path

import msgspec

from balcao.search.index.reader import IndexState
from balcao.search.index.store import IndexRow
from balcao.search.index.writer import BUILD_BYTES, IndexWriter


def main(generation: Path) -> None:
    """Index the services from standard input: one line with the state, then one line for each batch of services."""
    writer = IndexWriter(generation, BUILD_BYTES)
    state = msgspec.json.decode(sys.stdin.buffer.readline(), type=IndexState)
    for line in sys.stdin.buffer:
        writer.add(msgspec.json.decode(line, type=list[IndexRow]))
    writer.commit(state)
    writer.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
