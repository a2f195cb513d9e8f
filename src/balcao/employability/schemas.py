"""Wire types that every room of the service answers with."""

import msgspec


class Message(msgspec.Struct):
    """The success of a removal or a transition."""

    message: str


class Nothing(msgspec.Struct):
    """`{}`, where the callers parse a body that says nothing."""
