"""The classes of the answers of one prefix."""

from itertools import permutations

from cot_entropy.answers import Clusters, cluster


def test_labels_count_from_the_first_seen() -> None:
    """-1 stands for no answer and takes no number."""
    found = cluster(["7", None, "5", "7"], equivalence="normalised", kind="number")
    assert found == Clusters(labels=(0, -1, 1, 0), representatives=("7", "5"))


def test_no_answers_at_all() -> None:
    """All failed: no class."""
    found = cluster([None, None], equivalence="by_value", kind="math")
    assert found == Clusters(labels=(-1, -1), representatives=())


def test_nothing_to_cluster() -> None:
    """No samples, no labels."""
    assert cluster([], equivalence="by_value", kind="math") == Clusters((), ())


def test_spellings_of_one_answer_are_one_class() -> None:
    """The shortest spelling stands for the class."""
    answers = [r"\frac{1}{2}", "0.5", "1/2", "2"]
    found = cluster(answers, equivalence="by_value", kind="math")
    assert found == Clusters((0, 0, 0, 1), ("0.5", "2"))


def test_classes_are_closed_under_transitivity() -> None:
    """A bare expression joins the line it is the value of, and that line's general form."""
    answers = ["2x+3", "2x-y+3=0", "y=2x+3"]
    assert cluster(answers, equivalence="by_value", kind="math").labels == (0, 0, 0)


def test_a_missing_base_joins_the_only_base() -> None:
    """`40` beside `40_9` is the same answer."""
    assert cluster(["40", "40_9"], equivalence="by_value", kind="math").labels == (0, 0)


def test_a_missing_base_joins_no_two_bases() -> None:
    """`40` must not make `40_9` and `40_7` one answer."""
    answers = ["40_9", "40", "40_7", "40_{9}"]
    assert cluster(answers, equivalence="by_value", kind="math").labels == (0, 1, 2, 0)


def test_a_missing_unit_joins_no_two_units() -> None:
    """As with bases."""
    answers = ["5", r"5\text{ cm}", r"5\text{ m}", r"5 \text{ centimeters}"]
    assert cluster(answers, equivalence="by_value", kind="math").labels == (0, 1, 2, 1)


def test_the_order_of_the_answers_does_not_matter() -> None:
    """Every order gives the same partition and the same representatives."""
    answers = ["40_9", "40", "0.5", r"\frac12", r"1 \pm 2", "3,-1", "(3,-1)"]
    partitions = set()
    for order in permutations(answers):
        found = cluster(order, equivalence="by_value", kind="math")
        classes = {
            frozenset(a for a, label in zip(order, found.labels, strict=True) if label == number)
            for number in range(len(found.representatives))
        }
        partitions.add((frozenset(classes), frozenset(found.representatives)))
    expected = [{"40_9", "40"}, {"0.5", r"\frac12"}, {r"1 \pm 2", "3,-1"}, {"(3,-1)"}]
    names = {"40", "0.5", "3,-1", "(3,-1)"}
    assert partitions == {(frozenset(map(frozenset, expected)), frozenset(names))}


def test_pairs_over_the_limits_are_counted() -> None:
    """Three distinct answers, one of them too large: two of the three pairs."""
    answers = ["x+1", "9^{9^{9^9}}", "x+2", "x+1"]
    found = cluster(answers, equivalence="by_value", kind="math")
    assert (found.labels, found.pairs_as_strings) == ((0, 1, 2, 0), 2)
