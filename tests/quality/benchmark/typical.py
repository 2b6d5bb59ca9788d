"""What searches are timed with: questions that any code base may be asked."""

QUESTIONS = (
    "where do we stop hammering a failing server",
    "parse the command line",
    "check that a user may see this page",
    "turn bytes from the network into text",
    "cache expensive results",
    "undo a half finished change",
    "wait until another process is done",
    "escape dangerous characters",
    "what happens when the disk is full",
    "convert between time zones",
)
