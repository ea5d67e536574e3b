"""Linear algebra on one thread.

The matrices of an audit are small: several threads make them slower, the more so where several audits run at once, and
a sum that is split between threads is rounded differently on another machine.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

_SET = "KMP_DUPLICATE_LIB_OK"


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Keep the linear algebra of the block on one thread; also a decorator.

    >>> with one_thread():
    ...     pass
    """
    load()
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(limits=1):
        yield


def load() -> None:
    """Load what `one_thread` needs, without a change of how many threads there are.

    Done before a process is forked, which would have to load it again. Where other threads fork as well, a change of
    the number of threads at that moment would leave a lock of the linear algebra closed in their processes for ever.
    """
    import numpy as np  # noqa: F401 - what is not loaded yet cannot be limited
    import scipy.linalg  # noqa: F401

    found = os.environ.get(_SET)
    import threadpoolctl  # noqa: F401

    if found is None:  # loading it sets a variable of this process for good
        os.environ.pop(_SET, None)
