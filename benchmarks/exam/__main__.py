"""Run with ``python -m benchmarks.exam [--page] [--only 7 21] [--workers 2]``."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from benchmarks.exam.deciding import answers
from benchmarks.exam.page import page, table

PAGE = Path(__file__).parents[2] / "docs" / "exam.md"


def main() -> int:
    """Decide all questions and print the table; the status is 1 where the search disagrees with a decision."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exam", description=__doc__)
    parser.add_argument("--page", action="store_true", help="write docs/exam.md")
    parser.add_argument("--only", type=int, nargs="*", metavar="N", help="these functions alone")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    options = parser.parse_args()
    found, seconds = answers(options.only, options.workers)
    print("\n".join(table(found)))
    counts = Counter(a.decision for a in found)
    wrong = [a for a in found if a.disagreements]
    print(f"\n{len(found)} questions, {dict(counts)}, {seconds:.1f} s; the search disagrees with {len(wrong)}")
    slowest, largest = max(a.seconds for a in found), max(a.bytes for a in found)
    print(f"slowest question {slowest:.2f} s, largest certificate {largest} bytes")
    for a in wrong:
        question = a.question
        print(f"  {question.function.name}, {question.mechanism.name}, {question.share}: {a.described}")
        print(f"    the search says otherwise at n = {a.disagreements}")
    if options.page and options.only is None:
        PAGE.write_text(page(found, seconds, options.workers), encoding="utf-8")
        print(f"written: {PAGE.name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
