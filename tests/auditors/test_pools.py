"""Executors end when an audit does."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def test_a_worker_that_hangs_does_not_keep_python_from_ending(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent("""
        import os
        from dpwitness.auditors import audit, pools, service
        service.LARGEST_BATCHED, pools._GRACE = 256, 0.2

        def hangs(data, size, rng):
            while os.getpid() != parent:
                try:
                    while True:
                        pass
                except BaseException:
                    pass
            return rng.laplace(data, 1.0, size)

        parent = os.getpid()
        if __name__ == "__main__":
            found = audit(hangs, 0.0, 1.0, epsilon=1, max_pairs=2000, executor=2, timeout=0.2, isolate=False)
            print(found.details["cut"])
        """)
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, check=True, timeout=60, text=True)
    assert "the sampler hangs" in done.stdout
