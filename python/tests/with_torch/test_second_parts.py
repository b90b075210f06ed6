"""examples/second: scenes, boxes, overlaps, figures; test_second.py trains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

import second_worker  # noqa: E402, F401  It also makes the example's modules importable.
import boxes as coding  # noqa: E402  isort: skip
import evaluate  # noqa: E402  isort: skip
import overlap  # noqa: E402  isort: skip
import scenes  # noqa: E402  isort: skip
from data import Collate, Scenes  # noqa: E402  isort: skip
from evaluate import Answer, Found  # noqa: E402  isort: skip
from second_worker import TINY  # noqa: E402  isort: skip

Array = np.ndarray[Any, Any]
TOWN = scenes.Town()


def local(points: Array, box: Array) -> Array:
    """Points in the axes of a box, in parts of its half sizes."""
    x, y, z = (points[:, :3] - box[:3]).T
    cos, sin = np.cos(box[6]), np.sin(box[6])
    return np.stack([x * cos + y * sin, y * cos - x * sin, z], 1)


# ---- scenes --------------------------------------------------------------------------------------


def test_a_scene_is_its_seed() -> None:
    first, again, other = (scenes.make_scene((4, n), TOWN) for n in (1, 1, 2))
    for left, right in zip(first, again, strict=True):
        np.testing.assert_array_equal(left, right)
    assert first.points.shape != other.points.shape or (first.points != other.points).any()


def test_scenes_are_worth_learning() -> None:
    made = [scenes.make_scene((5, n), TOWN) for n in range(6)]
    for scene in made:
        assert 7 <= len(scene.boxes) <= 14 and 5000 < len(scene.points) < 20000
        assert scene.points.dtype == np.float32 and np.isfinite(scene.points).all()
        assert (scene.points[:, :3] >= TOWN.grid.low).all()
        assert (scene.points[:, :3] < TOWN.grid.high).all()
        np.testing.assert_array_equal(
            scene.visible, [(scene.owners == car).sum() for car in range(len(scene.boxes))]
        )
    seen = np.concatenate([scene.visible >= coding.LEAST_POINTS for scene in made])
    assert 0.6 < seen.mean() < 1  # Some are hidden, most are not.


def test_cars_hold_the_points_they_claim() -> None:
    for number in range(4):
        scene = scenes.make_scene((6, number), TOWN)
        for car, box in enumerate(scene.boxes):
            gaps = np.abs(local(scene.points, box)) - box[3:6] / 2
            mine = scene.owners == car
            assert (gaps[mine] < 0.1).all()  # Five times the error of the ranges.
            assert not ((gaps < -0.1).all(1) & ~mine).any()
        overlaps = overlap.iou(scene.boxes, scene.boxes)
        np.testing.assert_allclose(overlaps, np.eye(len(scene.boxes)), atol=1e-6)


def boxes_of(*places: list[float]) -> scenes.Boxes:
    rows = np.array(places)
    return scenes.Boxes(rows, np.arange(len(rows)), np.zeros(len(rows)), np.ones(len(rows)))


def test_rays_end_where_geometry_says() -> None:
    # One box 8 to 12 m ahead, from the street (-1.73) up to -0.5; rays straight ahead and aside.
    box = boxes_of([10, 0, (scenes.GROUND - 0.5) / 2, 4, 2, -0.5 - scenes.GROUND, 0])
    slopes = np.array([-0.3, -0.1, -0.05, -0.02, 0.1])
    distance, hit = scenes.cast(np.random.default_rng(1), box, slopes, np.array([0.0, 0.5]))
    # The street before it; its face; its roof at 0.5 / 0.05; above it the street far away; the sky.
    np.testing.assert_allclose(distance[0], [1.73 / 0.3, 8, 10, 1.73 / 0.02, np.inf])
    assert hit[0].tolist() == [-1, 0, 0, -1, -1]
    np.testing.assert_allclose(distance[1, :4], 1.73 / -slopes[:4])
    assert (hit[1] == -1).all()


def test_turned_box() -> None:
    # A square turned by 45 degrees shows its corner: sqrt(2) ahead of its middle.
    box = boxes_of([10, 0, 0, 2, 2, 4, np.pi / 4])
    distance, _ = scenes.cast(np.random.default_rng(1), box, np.array([0.0]), np.array([1e-6]))
    assert distance[0, 0] == pytest.approx(10 - np.sqrt(2), abs=1e-4)


def test_what_stands_in_front_hides() -> None:
    wall, car = [5.0, 0, -0.7, 0.2, 6, 2, 0], [12.0, 0, -1, 4, 2, 1.4, 0.3]
    slopes, angles = np.linspace(-0.15, -0.03, 10), np.linspace(-0.1, 0.1, 21)
    random = np.random.default_rng(1)
    _, free = scenes.cast(random, boxes_of(car), slopes, angles)
    assert (free == 0).sum() > 50
    for order in ([wall, car], [car, wall]):
        distance, hit = scenes.cast(random, boxes_of(*order), slopes, angles)
        assert (hit == order.index(wall)).all() and (distance < 5.1).all()


def test_nothing_is_between_the_sensor_and_a_point() -> None:
    for number in range(3):
        random = np.random.default_rng((7, number))
        solid = scenes.build(random, scenes.place(random, TINY))
        scene = scenes.make_scene((7, number), TINY)
        ends = scene.points[:, :3].astype(float)
        lengths = np.linalg.norm(ends, axis=1, keepdims=True)
        # All along each ray up to 20 cm before its end.
        steps = np.linspace(0, 1, 200)[:, None, None] * np.maximum(lengths - 0.2, 0)
        path = (steps * ends / lengths).reshape(-1, 3)
        for box in solid.places[solid.depth == 0]:
            assert not (np.abs(local(path, box)) < box[3:6] / 2).all(1).any()


# ---- boxes ---------------------------------------------------------------------------------------


def some_boxes(random: np.random.Generator, count: int, spread: float = 20) -> Array:
    made = random.uniform(-spread, spread, (count, 7))
    made[:, 3:6] = random.uniform(1, 6, (count, 3))
    made[:, 6] = random.uniform(-np.pi, np.pi, count)
    return made


def test_code_there_and_back() -> None:
    random = np.random.default_rng(8)
    boxes, anchors = (torch.from_numpy(some_boxes(random, 300)) for _ in range(2))
    residuals, back = coding.encode(boxes, anchors), coding.looks_back(boxes, anchors)
    torch.testing.assert_close(coding.decode(residuals, back, anchors), boxes)
    residuals[:, 6] += np.pi  # The line is the same.
    found = coding.decode(residuals, back, anchors)
    torch.testing.assert_close(found, boxes)
    turned = coding.decode(residuals, ~back, anchors)
    torch.testing.assert_close(turned[:, :6], boxes[:, :6])
    torch.testing.assert_close((turned[:, 6] - boxes[:, 6]).cos(), -torch.ones(300).double())


def test_code_by_hand() -> None:
    anchor = torch.tensor([[10.0, 2, -1, 4, 3, 2, 0]])
    box = torch.tensor([[15.0, -3, 0, 8, 3, 1, 3.0]])
    wanted = [1.0, -1.0, 0.5, np.log(2), 0.0, -np.log(2), 3.0]
    assert coding.encode(box, anchor)[0].tolist() == pytest.approx(wanted, abs=1e-6)
    assert coding.looks_back(box, anchor).tolist() == [True]
    wild = torch.tensor([[0.0, 0, 0, 99, -99, 0, 0]])
    largest = coding.decode(wild, torch.tensor([False]), anchor)[0]
    assert largest[3] == pytest.approx(32) and 0 <= largest[4] < 1e-6


def test_anchors_know_their_cars() -> None:
    anchors = coding.make_anchors(TINY.grid)
    assert anchors.shape == (16, 16, 2, 7)
    np.testing.assert_allclose(anchors[3, 5, :, :2], [[4.4, -3.6]] * 2, atol=1e-5)
    cars = np.array([[4.4, -3.6, -1, 4.4, 1.8, 1.6, -3.1], [9.2, 3.6, -1, 4, 2, 1.5, 0]], np.float32)
    found = coding.assign(cars, np.array([True, False]), anchors)
    labels = found.labels.numpy()
    assert labels[3, 5].tolist() == [1, 0]  # Along x, and not along y.
    assert labels[12, 11].tolist() == [-1, -1] and labels[0, 0].tolist() == [0, 0]
    assert labels[5, 5].tolist() == [0, 0]  # 1.6 m to its side is outside of the car.
    right = torch.from_numpy(anchors)[found.labels == 1]
    decoded = coding.decode(found.residuals, found.directions > 0, right)
    np.testing.assert_allclose(decoded, cars[:1].repeat(len(right), 0), atol=1e-5)
    assert (found.directions == 1).all()


def test_every_car_asked_for_has_an_anchor() -> None:
    data = Scenes(TOWN, 9)
    for number in range(4):
        scene, targets = data[number]
        right = torch.from_numpy(data.anchors)[targets.labels == 1]
        decoded = coding.decode(targets.residuals, targets.directions > 0, right).numpy()
        best = overlap.iou(scene.boxes, decoded).max(1)
        asked = scene.visible >= coding.LEAST_POINTS
        assert (best[asked] > 0.999).all() and (best[~asked] == 0).all()


def test_batches_are_scenes() -> None:
    data = Scenes(TINY, 9)
    items = [data[number] for number in range(3)]
    items[1] = (items[1][0]._replace(points=items[1][0].points[:0]), items[1][1])
    batch = Collate(TINY)(items)
    grid = TINY.grid
    for number, (scene, targets) in enumerate(items):
        cells = np.floor((scene.points[:, :3] - grid.low) / np.float32(grid.voxel)).astype(int)
        expected = {tuple(cell[::-1]) for cell in cells.tolist()}
        mine = batch.indices[:, 0] == number
        found = {tuple(cell) for cell in batch.indices[mine, 1:].tolist()}
        # A point on a border may fall to either side.
        assert len(found ^ expected) <= 0.02 * len(expected)
        assert torch.equal(batch.targets.labels[number], targets.labels)
    assert batch.features.shape == (len(batch.indices), 4) and batch.features.abs().max() < 1.3
    assert len(batch.targets.residuals) == (batch.targets.labels == 1).sum()


# ---- overlaps ------------------------------------------------------------------------------------


def flat(x: float, y: float, length: float, width: float, degrees: float = 0) -> Array:
    return np.array([[x, y, 0, length, width, 1, np.radians(degrees)]])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (flat(3, -2, 4, 2, 30), flat(3, -2, 4, 2, 30), 1),
        (flat(3, -2, 4, 2, 30), flat(3, -2, 4, 2, 210), 1),
        (flat(0, 0, 4, 2), flat(0, 0, 2, 4, 90), 1),
        (flat(0, 0, 2, 2), flat(1, 0, 2, 2), 2 / 6),
        (flat(0, 0, 4, 4), flat(0.5, 0.5, 1, 2, 17), 2 / 16),
        (flat(0, 0, 4, 1), flat(0, 0, 4, 1, 90), 1 / 7),
        # Two unit squares, one turned by 45 degrees, share a regular octagon.
        (flat(5, 5, 1, 1), flat(5, 5, 1, 1, 45), 1 / np.sqrt(2)),
        (flat(0, 0, 2, 2), flat(2, 0, 2, 2), 0),
        (flat(0, 0, 2, 2), flat(2.1, 2.1, 2, 2, 45), 0),
        (flat(0, 0, 2, 2), flat(50, 0, 2, 2), 0),
    ],
)
def test_iou_by_hand(first: Array, second: Array, expected: float) -> None:
    for pair in ((first, second), (second, first)):
        assert overlap.iou(*pair)[0, 0] == pytest.approx(expected, abs=1e-6)


def test_iou_by_chance() -> None:
    random = np.random.default_rng(10)
    first, second = some_boxes(random, 12, 2), some_boxes(random, 9, 2)
    found = overlap.iou(first, second)
    points = np.pad(random.uniform(-8, 8, (400_000, 2)), ((0, 0), (0, 1)))

    def holds(box: Array) -> Array:
        inside: Array = (np.abs(local(points, box)[:, :2]) < box[3:5] / 2).all(1)
        return inside

    held = [[holds(box * [1, 1, 0, 1, 1, 1, 1]) for box in boxes] for boxes in (first, second)]
    for i, mine in enumerate(held[0]):
        for j, theirs in enumerate(held[1]):
            union = (mine | theirs).sum()
            chance = (mine & theirs).sum() / union
            # Five standard deviations, and one point.
            error = 5 * np.sqrt(chance * (1 - chance) / union) + 1 / union
            assert abs(found[i, j] - chance) < error
    assert (found > 0.2).sum() > 10


def test_iou_of_nothing() -> None:
    assert overlap.iou(np.empty((0, 7)), some_boxes(np.random.default_rng(1), 3)).shape == (0, 3)


def test_the_best_box_stays() -> None:
    boxes = np.concatenate([flat(0, 0, 4, 2), flat(1, 0, 4, 2), flat(9, 0, 4, 2), flat(3, 0, 4, 2)])
    # The third is alone; the second hides the first (0.6) and, with 0.3, the last (2 / 6).
    assert overlap.suppress(boxes, np.array([0.5, 0.9, 0.2, 0.7]), 0.3).tolist() == [1, 2]
    assert overlap.suppress(boxes, np.array([0.5, 0.9, 0.2, 0.7]), 0.4).tolist() == [1, 3, 2]
    # A box that is hidden hides nothing: the last stays although it overlaps the second.
    assert overlap.suppress(boxes, np.array([0.9, 0.8, 0.2, 0.7]), 0.3).tolist() == [0, 3, 2]


# ---- figures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdicts", "cars", "points", "expected"),
    [
        ([1, 1, 1], 3, 40, 1.0),
        ([], 3, 40, 0.0),
        ([0, 0], 3, 40, 0.0),
        ([1, 1], 4, 40, 0.5),
        # Precision 1/2 then 2/3: the better one can be had at every recall.
        ([0, 1, 1], 2, 40, 2 / 3),
        ([1, 0, 1], 4, 4, (1 + 2 / 3) / 4),
        ([1, -1, -1, 1], 2, 40, 1.0),
        ([1, 1, 0, 0, 0], 2, 40, 1.0),
    ],
)
def test_average_precision_by_hand(
    verdicts: list[int], cars: int, points: int, expected: float
) -> None:
    scores = np.linspace(0.9, 0.1, len(verdicts))
    turned = np.arange(len(verdicts))[::-1]  # The order of rows must not matter.
    for rows in (np.arange(len(verdicts)), turned):
        found = evaluate.average_precision(
            np.array(verdicts, int)[rows], scores[rows], cars, points
        )
        assert found == pytest.approx(expected)


def scene_of(boxes: Array, visible: list[int]) -> scenes.Scene:
    owners = np.repeat(np.arange(len(boxes)), visible)
    return scenes.Scene((0,), np.zeros((len(owners), 4), np.float32), owners, boxes)


def test_figures_by_hand() -> None:
    cars = np.concatenate([flat(0, 0, 4, 2), flat(10, 0, 4, 2), flat(20, 0, 4, 2)])
    said = np.concatenate(
        # Found; found again, which is wrong; a hidden car; nothing there; found, but not sure.
        [flat(0.2, 0, 4, 2), flat(0, 0.1, 4, 2), flat(20, 0, 4, 2), flat(30, 0, 4, 2), flat(10, 0, 4, 2)]
    )
    found = Found(said, np.array([0.9, 0.8, 0.7, 0.6, 0.1]))
    scene = scene_of(cars, [50, 10, 9])
    asked = scene.visible >= coding.LEAST_POINTS
    assert evaluate.match(found, cars, asked).tolist() == [1, 0, -1, 0, 1]
    figures = evaluate.judge([Answer(scene, found)])
    # 1 of 1, then 2 of 4: half of the recalls at 1, half at 1/2.
    assert figures == pytest.approx((0.75, 0.5, 2.0, 2))


def test_figures_of_nothing() -> None:
    nothing = Found(np.empty((0, 7)), np.empty(0))
    one = flat(0, 0, 4, 2)
    assert evaluate.judge([Answer(scene_of(one, [20]), nothing)]) == (0, 0, 0, 1)
    wrong = evaluate.judge([Answer(scene_of(one[:0], []), Found(one, np.array([0.9])))])
    assert wrong.false_boxes == 1 and wrong.cars == 0
