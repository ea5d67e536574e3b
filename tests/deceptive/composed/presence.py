# ruff: noqa: B007
"""Whether a record is there: branches that only the records decide, behind thresholds that do not hide them."""

from __future__ import annotations

from dpwitness import ApproxDP, Interval, Records
from tests.deceptive.kit import holds, leaks

NAMES = Records(("ann", "bob"), 3, "add-remove")
SWAP = Records(("ann", "bob"), 3)


def loose():
    return ApproxDP(1, "1/100")


NONE = {"none": 0}


@holds(NAMES, claim=lambda none: loose(), typical=NONE)
def threshold_of_five(noise, data, *, none):
    """private: a single holder passes 5 with probability e^-4/2, below 1/100."""
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        if noisy >= 5:
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def threshold_of_four(noise, data, *, none):
    """not private: a single holder passes 4 with probability e^-3/2, above 1/100."""
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        if noisy >= 4:
            return noisy
    return None


@leaks(SWAP, claim=lambda none: loose(), typical=NONE)
def two_names_of_a_replaced_record(noise, data, *, none):
    """not private: a replacement moves two counts."""
    found = []
    for name in ("ann", "bob"):
        if name in data:
            noisy = data.count(name) + noise.laplace(1)
            if noisy > 5:
                found.append((name, noisy))
    return found


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def noted_beside_the_threshold(noise, data, *, none):
    """not private: the list is longer where there is such a record."""
    seen = []
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        seen.append(1)
        if noisy > 5:
            return noisy
    return len(seen)


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def noted_in_an_assignment(noise, data, *, none):
    """not private: the value of the assignment does not matter, what it does to the list is seen."""
    seen = []
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        other = seen.append(1)
        if noisy > 5:
            return noisy, other
    return len(seen)


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def what_is_left_behind(noise, data, *, none):
    """not private: a name that is set inside keeps its first value where there is no such record."""
    mark = 0
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        mark = 1
        if noisy > 5:
            return noisy
    return mark


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def the_noisy_count_afterwards(noise, data, *, none):
    """not private: the noisy count is shown below the threshold as well."""
    noisy = 0
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        if noisy > 5:
            return 1
    return noisy


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def an_else_that_tells(noise, data, *, none):
    """not private: below the threshold it says so, without such a record it says nothing."""
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        if noisy > 5:
            return noisy
        return -1
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def below_the_threshold(noise, data, *, none):
    """not private: the test is the other way round."""
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        if noisy < 5:
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def another_name_is_counted(noise, data, *, none):
    """not private: the name that decides the branch has one holder, the one that is counted has many."""
    if "ann" in data:
        noisy = data.count("bob") + noise.laplace(1)
        if noisy > 5:
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def twice_the_count(noise, data, *, none):
    """not private: a single holder counts twice."""
    if "ann" in data:
        noisy = 2 * data.count("ann") + noise.laplace(1)
        if noisy > 5:
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def the_draw_of_the_branch_is_shown(noise, data, *, none):
    """not private: the noise is known, and so is the count."""
    if "ann" in data:
        z = noise.laplace(1)
        noisy = data.count("ann") + z
        if noisy > 5:
            return noisy, z
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def noise_from_before_the_branch(noise, data, *, none):
    """not private: the noise is shown where nothing else is."""
    z = noise.laplace(1)
    if "ann" in data:
        noisy = data.count("ann") + z
        if noisy > 5:
            return noisy
    return z


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def fails_where_there_is_such_a_record(noise, data, *, none):
    """not private: it fails where somebody has the name and a released count is 0, and only there."""
    n = max(len(data) + noise.discrete_laplace(1), 0) * 0
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1 / n)
        if noisy > 5:
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def a_filter_on_the_data(noise, data, *, none):
    """not private: an empty list says that nobody has the name."""
    return [data.count(name) + noise.laplace(1) for name in ("ann", "bob") if name in data]


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def early_return(noise, data, *, none):
    """not private: what is returned without such a record is returned nowhere else."""
    if "ann" not in data:
        return -1
    noisy = data.count("ann") + noise.laplace(1)
    if noisy > 5:
        return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def something_after_the_threshold(noise, data, *, none):
    """not private: a loop goes on where there is no such record, and counts its turns elsewhere."""
    turns = 0
    for name in ("ann", "bob"):
        if name not in data:
            continue
        noisy = data.count(name) + noise.laplace(1)
        if noisy > 9:
            return noisy
        turns += 1
    return turns


@leaks(Records(Interval(0, 1), 3, "add-remove"), claim=lambda none: loose(), typical=NONE)
def a_left_over_of_one_way(noise, data, *, none):
    """not private: on one way a name holds the last record, on the other a number."""
    n = len(data) + noise.laplace(1)
    if n > 2:
        last = 3
    else:
        for last in data:
            pass
    return last
