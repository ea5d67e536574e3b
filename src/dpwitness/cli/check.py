"""``dpwitness check``: re-check certificates with the kernel alone, and say what was verified and nothing else."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpwitness.core.claims import Claim
    from dpwitness.proofs.kernel.theorem import Theorem

MAX_BYTES = 4 * 2**20
MAX_SHOWN = 4_000
READING = 30.0  # seconds for each prover that reads the program anew


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("check", help="re-check certificates with the small kernel alone")
    command.add_argument("files", nargs="+", metavar="CERTIFICATE")
    command.add_argument("--program", metavar="TARGET",
                         help="read this program anew, and see whether the certificates are about it")  # fmt: skip
    command.add_argument("--epsilon", metavar="E", help="with --program: its parameter eps, such as 1/2")
    command.add_argument("--delta", metavar="D", help="with --program: its parameter delta, such as 1e-5")
    command.add_argument("--seconds", type=float, metavar="S",
                         help="processor time for each certificate (default about 1)")  # fmt: skip
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check every file; status 1 where one is invalid, or is not about the program."""
    from dpwitness.core.loading import BadFile
    from dpwitness.proofs.kernel.check import check
    from dpwitness.proofs.kernel.limits import SECONDS, Rejected

    claims = _claims(options) if options.program is not None else []
    status = 0
    for name in options.files:
        try:
            certificate = read(name)
            theorem = check(certificate, seconds=SECONDS if options.seconds is None else options.seconds)
        except OSError as error:
            print(f"dpwitness: {name!r} cannot be read: {error.strerror}", file=sys.stderr)
            return 2
        except (Rejected, BadFile) as error:
            print(f"INVALID  {shown(name)}: {shown(error)}")
            status = 1
            continue
        print(f"VALID    {shown(name)}: {shown(theorem.statement)}")
        for assumed in theorem.assumptions:
            print(f"         assumes {shown(assumed)}")
        if options.program is None:
            said = said_of(certificate)
            if said is not None:
                print(f"         said to be of {said}")
        elif not _about(theorem, claims, options.program):
            status = 1
    return status


def read(name: str) -> Mapping[str, Any]:
    """The JSON object in a file: see `dpwitness.core.loading` for what is refused."""
    from dpwitness.core.loading import BadFile, read_json

    found = read_json(name, MAX_BYTES)
    if not isinstance(found, dict):
        raise BadFile("a certificate is a JSON object")
    return found


def shown(text: object) -> str:
    r"""Text from outside on one line of a terminal: what cannot be printed is escaped, and its length is limited.

    >>> shown("a\nb\x1b[31m")
    'a\\nb\\x1b[31m'
    """
    plain = str(text)[:MAX_SHOWN]
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in plain)


def said_of(certificate: Mapping[str, Any]) -> str | None:
    """The name that a certificate gives to its program, quoted: nothing has verified it."""
    about = certificate.get("about")
    name = certificate.get("target", about.get("target") if isinstance(about, Mapping) else None)
    return ascii(name[:100]) if isinstance(name, str) and name else None


def _claims(options: argparse.Namespace) -> list[Claim]:
    from dpwitness.batch import tasks

    given = {"eps": options.epsilon, "delta": options.delta}
    overrides = {key: value for key, value in given.items() if value is not None}
    return [claim for _, claim in tasks([options.program], overrides)]


def _about(theorem: Theorem, claims: list[Claim], program: str) -> bool:
    """Read the program anew and print whether the theorem's model is the one that is read now."""
    for claim in claims:
        if theorem.subject in subjects(claim):
            fixed = {key: value for key, value in claim.params.items() if key not in theorem.open}
            at = ", ".join(f"{key} = {value}" for key, value in fixed.items())
            what = "a counterexample to" if theorem.refutes else "a proof about"
            print(f"         is {what} {shown(program)}" + (f" at {shown(at)}" if at else ""))
            return True
    print(f"         is NOT about {shown(program)}: its model is none of those that are read from the program now")
    return False


def subjects(claim: Claim) -> set[str]:
    """The models that the provers read from a claim's program now, each run beside the program without a difference."""
    from dpwitness.core.budget import Budget
    from dpwitness.routes import confirmed_proofs

    found = [evidence.confirmed for evidence in confirmed_proofs(claim, Budget(seconds=READING))]
    return {confirmed.subject for confirmed in found if confirmed is not None}
