"""The closed list of what can be wrong with a program's MPI, each kind with the standard's rule and what to do.

Theory of operation.  One table, `KINDS`.  A kind has a meaning and one or more rules, because the same kind of mistake
(data that does not match) breaks another sentence of the standard in a message than in a broadcast; a finding names its
rule by kind and key.  Section numbers are those of MPI 4.1 (November 2023).  The order of the table is the order in
which findings are told: what may be the cause of others comes first.  docs/verdicts.md is made from this table.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A sentence of the standard in our words, the section of MPI 4.1 it stands in, and what to do about a breach."""

    sentence: str
    section: str
    advice: str

    def __str__(self) -> str:
        """Return all three as one text."""
        sections = "sections" if re.search(r" and | to |,", self.section) else "section"
        source = f" (MPI 4.1, {sections} {self.section})" if self.section else ""
        return f"{self.sentence}{source}. {self.advice}"


@dataclass(frozen=True)
class Kind:
    """A kind of finding: what it means, and the rules that it breaks, by key."""

    meaning: str
    rules: dict[str, Rule]


def _one(meaning: str, sentence: str, section: str, advice: str) -> Kind:
    return Kind(meaning, {"": Rule(sentence, section, advice)})


KINDS: dict[str, Kind] = {
    "outside-mpi": _one(
        "an MPI call before MPI_Init or after MPI_Finalize, or a second MPI_Init",
        "MPI_Init comes once and before, MPI_Finalize once and after all other MPI calls but a few that inquire",
        "11.2.1, 11.2.2 and 11.4.1",
        "Move the call between the two.",
    ),
    "invalid-argument": Kind(
        "an argument that the call does not allow: a rank, tag, root, count, type, communicator, operation",
        {
            "": Rule("Arguments must be valid for the call", "2.8 and 9.4", "Look at the argument named."),
            "rank": Rule(
                "A destination or source is a rank of the communicator, 0 to size - 1, or MPI_PROC_NULL; a source may"
                " be MPI_ANY_SOURCE",
                "3.2.3 and 3.2.4",
                "Check the arithmetic at the first and the last rank; MPI_PROC_NULL means no neighbour.",
            ),
            "tag": Rule(
                "A tag is 0 to MPI_TAG_UB; only a receive may say MPI_ANY_TAG",
                "3.2.3 and 3.2.4",
                "Use a tag that is not negative.",
            ),
            "root": Rule(
                "The root is a rank of the communicator, the same on all of them", "6.4", "Use 0 to size - 1."
            ),
            "count": Rule("A count is not negative", "3.2.2", "Check how the count is computed."),
            "type": Rule(
                "A datatype is predefined, or has been committed and not yet freed",
                "3.2.2 and 5.1.9",
                "Call MPI_Type_commit before its first use, MPI_Type_free after its last.",
            ),
            "comm": Rule(
                "A communicator must be valid: made, not yet freed, not MPI_COMM_NULL",
                "7.4.3",
                "A rank that is in none of the new groups gets MPI_COMM_NULL and must not use it.",
            ),
            "op": Rule(
                "The operation must be valid for the datatype", "6.9.2", "See the table of operations and types."
            ),
            "buffer": Rule(
                "Buffers must be valid and, unless the call says otherwise, disjoint",
                "3.2.2 and 6.1",
                "Give each its own memory, or use MPI_IN_PLACE.",
            ),
        },
    ),
    "call-mismatch": _one(
        "ranks of a communicator that make different collective calls, in different order, or not all of them",
        "All ranks of a communicator make the same collective calls in the same order; a nonblocking or persistent one"
        " does not match a blocking one",
        "6.12, 6.13 and 6.14",
        "Take the call out of the branch, or make it on every rank, in one order.",
    ),
    "root-mismatch": _one(
        "ranks that name different roots in the same collective call",
        "The root must be the same on all ranks of the communicator",
        "6.4, 6.5, 6.6 and 6.9.1",
        "Pass one value, known to all ranks.",
    ),
    "operator-mismatch": _one(
        "ranks that name different operations in the same reduction",
        "The operation of a reduction must be the same on all ranks",
        "6.9.1",
        "Pass the same MPI_Op everywhere.",
    ),
    "truncation": _one(
        "a message that is longer than the buffer of the receive that it matches",
        "A message must fit into the buffer of the receive that it matches; a receive may be longer than the message",
        "3.2.4",
        "Make the receive's count at least the send's, or ask for the size first with MPI_Probe and MPI_Get_count.",
    ),
    "count-or-type-mismatch": Kind(
        "data described in one way where they are sent and in another where they are received",
        {
            "message": Rule(
                "The sequence of basic types sent must be that received: MPI_INT goes to MPI_INT, MPI_BYTE to MPI_BYTE,"
                " only MPI_PACKED to anything",
                "3.3.1",
                "Use the same type, and counts in elements of it, on both sides.",
            ),
            "collective": Rule(
                "In a collective call the amount and the types of data sent must be exactly those received, between"
                " every pair of ranks",
                "6.1, 6.4 to 6.11",
                "Compare counts and types on the two ranks named; a count is per partner, not in all.",
            ),
        },
    ),
    "request-lifecycle": Kind(
        "a request used against its life: started twice, waited for when freed, freed while active, its handle lost",
        {
            "": Rule(
                "A request is made, started, completed once, and then is null or, when persistent, inactive until it is"
                " started again or freed",
                "3.7.3 and 3.9",
                "Give every operation a request variable of its own; complete it, then start or free it.",
            )
        },
    ),
    "buffer-race": _one(
        "memory touched while an operation is using it",
        "Between the start of an operation and its completion a send buffer must not be changed and a receive buffer"
        " must not be touched",
        "3.7.2 and 3.7.3",
        "Move the access behind the Wait or the successful Test, or give the operation another buffer.",
    ),
    "message-race": _one(
        "a result that depends on which of several messages comes first",
        "A receive from MPI_ANY_SOURCE takes whichever message comes first; messages of different ranks have no order",
        "3.5",
        "Name the source, or make the result independent of the order.",
    ),
    "rma-epoch": _one(
        "a one-sided call outside the epoch it needs, or an epoch never closed",
        "One-sided calls belong between a call that opens an epoch and the one that closes it",
        "12.5",
        "Put them between two fences, start and complete, or lock and unlock.",
    ),
    "rma-race": _one(
        "two one-sided accesses to the same memory of a window that nothing orders, one of them a write",
        "Conflicting accesses to the same location of a window need a synchronization between them",
        "12.7",
        "Separate them by an epoch, or use accumulate operations.",
    ),
    "deadlock": Kind(
        "ranks that wait for each other, or for what will never happen",
        {
            "": Rule(
                "A send that finds no receive may wait for it, a receive waits for its message, a collective call may"
                " wait for all ranks: some order must let each of them end",
                "3.5 and 6.14",
                "Let one side receive first, or use MPI_Sendrecv or MPI_Irecv before the send.",
            ),
            "never": Rule(
                "A receive ends when a message with its source, tag and communicator was sent to it; a send may wait"
                " until such a receive is posted",
                "3.5",
                "Make source, destination, tag and communicator of the two agree, and as many sends as receives.",
            ),
        },
    ),
    "eager-reliance": _one(
        "a program that runs only because small messages happen to be buffered: right by luck",
        "A standard send may wait until the matching receive has started; whether it does is the library's choice",
        "3.4 and 3.5",
        "Let one side receive first, or use MPI_Sendrecv or MPI_Irecv before the send.",
    ),
    "missing-wait": _one(
        "an operation that was started and never completed",
        "Every nonblocking operation must be completed by a Wait or a successful Test, sends too",
        "3.7.3 and 11.2.2",
        "Keep its request and wait for it, for example with MPI_Waitall.",
    ),
    "unmatched-message": _one(
        "a message that was sent and never received, or a receive for which nothing was sent",
        "When MPI_Finalize is called, every send must have been received and every receive been satisfied",
        "11.2.2",
        "Make source, destination, tag and communicator of the two agree, and as many sends as receives.",
    ),
    "resource-leak": _one(
        "a communicator, datatype, group, operation, window, file or persistent request that was never freed",
        "What a program makes it should free",
        "2.5.1, 5.1.9, 7.4.3 and 3.9",
        "Free it when it is no longer needed.",
    ),
    "missing-finalize": _one(
        "a rank that ended without MPI_Finalize",
        "Every process that called MPI_Init must call MPI_Finalize before it ends",
        "11.2.2",
        "Call it on every path to the end, on every rank.",
    ),
    "mpi-error": _one(
        "an error that MPI reported and that is none of the others",
        "A call that returns an error did not do what it was asked to",
        "2.8 and 9.4",
        "See MPI's own text above.",
    ),
    "crash": _one(
        "a rank that was ended by a signal",
        "A program must not end by a signal or an exception",
        "",
        "Look at the line named.",
    ),
}
