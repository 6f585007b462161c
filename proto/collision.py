# SPDX-License-Identifier: MIT
"""How a player moves in a tick: the algorithm of the section Collision of PROTOCOL.md. Coordinates
are units in binary64, which Python's floats are; every operation counts, in this order, and none is
fused with another. collisions.json has examples."""
from math import ceil, floor, inf, sqrt

STEP = 1 / 32 # the grid on which players stand
TOUCH = 1e-9 # gaps and overlaps up to this are a mere touch
TIE = 1e-6 # depths that differ by less are equal
MISS = 2.0 # the time of a touch that does not happen; the others are parts of the motion, 0 to 1

def dot(a, b): return a[0] * b[0] + a[1] * b[1]
def cross(a, b): return a[0] * b[1] - a[1] * b[0]
def add(a, b, factor=1.0): return a[0] + b[0] * factor, a[1] + b[1] * factor
def sub(a, b): return a[0] - b[0], a[1] - b[1]

class Face: # an edge from a corner to the next one
    def __init__(self, first, last, seam):
        edge = sub(last, first)
        length = sqrt(dot(edge, edge))
        self.first, self.last, self.seam = first, last, seam
        self.normal = edge[1] / length, 0 - edge[0] / length # out of the obstacle
        self.offset = dot(self.normal, first)

    def gap(self, point): # positive in front of the face
        return dot(self.normal, point) - self.offset

    def corner_beyond(self, point, margin): # the end of the face that the point is beyond, or None
        if cross(self.normal, sub(point, self.first)) < -margin:
            return self.first
        return self.last if cross(self.normal, sub(point, self.last)) > margin else None

class Obstacle: # of OBSTACLES: its corners in units, and bit i of seams for the edge from corner i
    def __init__(self, corners, seams):
        self.faces = [Face(corner, corners[(i + 1) % len(corners)], seams >> i & 1)
                      for i, corner in enumerate(corners)]
        self.low = min(x for x, _ in corners), min(y for _, y in corners)
        self.high = max(x for x, _ in corners), max(y for _, y in corners)
        self.has_seams = seams != 0

    def is_far(self, low, high): # saves time and changes nothing
        return (self.low[0] > high[0] or self.high[0] < low[0] or self.low[1] > high[1]
                or self.high[1] < low[1])

    def overlap(self, centre, radius, start):
        """The depth to which a circle is in the obstacle, and the normal that leads out; or None.
        The circle came from start."""
        gaps = [face.gap(centre) for face in self.faces]
        gap = max(gaps)
        if gap >= radius:
            return None
        face = self.faces[gaps.index(gap)] # the first of the nearest
        near = sum(each >= gap - TIE for each in gaps)
        if (near > 1 or self.has_seams) and gap <= (TOUCH if face.seam else 0):
            return self.overlap_inside(gaps, radius, start)
        if corner := face.corner_beyond(centre, 0):
            out = sub(centre, corner)
            squared = dot(out, out)
            if squared >= radius * radius:
                return None
            if squared > 1e-18:
                distance = sqrt(squared)
                return radius - distance, (out[0] * (1 / distance), out[1] * (1 / distance))
        return radius - gap, face.normal

    def overlap_inside(self, gaps, radius, start): # through the nearest face that is no seam
        faces = [(gap, face) for gap, face in zip(gaps, self.faces) if not face.seam] \
            or list(zip(gaps, self.faces))
        nearest = max(gap for gap, _ in faces)
        gap, face = max((each for each in faces if each[0] >= nearest - TIE),
                        key=lambda each: each[1].gap(start)) # the first one in front of start
        return radius - gap, face.normal

    def touch(self, start, motion, radius):
        """The part of a circle's motion after which it touches the obstacle."""
        enter, nearest, face = -1, -inf, self.faces[0]
        for each in self.faces:
            gap = dot(each.normal, sub(start, each.first)) - (
                radius + (4 * TOUCH if each.seam else 0))
            change = dot(each.normal, motion)
            if stays_open(gap, change):
                return MISS
            if gap > -TOUCH:
                time = gap / -change if gap > TOUCH else 0
                if time > enter:
                    enter, face = time, each
            elif enter < 0 and gap > nearest:
                nearest, face = gap, each
        through_seam = enter >= 0 and face.seam
        enter = max(enter, 0)
        if corner := face.corner_beyond(add(start, motion, enter), 1e-6):
            return touch_corner(start, motion, corner, radius)
        return MISS if through_seam else enter

def stays_open(gap, change):
    if gap > TOUCH:
        return gap + change > 0
    return gap > -TOUCH and gap + change > -TOUCH

def touch_corner(start, motion, corner, radius):
    out = sub(start, corner)
    squared, inner, outer = dot(out, out), radius - TOUCH, radius + TOUCH
    if squared < inner * inner:
        return 0
    approach = 0 - dot(out, motion)
    if approach <= 0:
        return MISS
    touching = squared <= outer * outer
    reach = inner if touching else radius
    side, length = cross(out, motion), dot(motion, motion)
    if side * side >= inner * inner * length:
        return MISS
    time = (squared - reach * reach) / (
        approach + sqrt(reach * reach * length - side * side))
    return MISS if time > 1 else 0 if touching or time < 0 else time

def touch_side(gap, change):
    if gap <= -TOUCH:
        return 0
    return MISS if stays_open(gap, change) else gap / -change if gap > TOUCH else 0

class Map:
    def __init__(self, border, obstacles): # border: min x, min y, max x, max y; in units
        self.border, self.obstacles = border, obstacles

    def deepest(self, centre, radius, start):
        """The deepest overlap of a circle, as (depth, normal); or None."""
        (x, y), (left, low, right, high) = centre, self.border
        found = TOUCH, None
        overlaps = [(left + radius - x, (1.0, 0.0)), (x + radius - right, (-1.0, 0.0)),
                    (low + radius - y, (0.0, 1.0)), (y + radius - high, (0.0, -1.0))]
        corners = (x - radius, y - radius), (x + radius, y + radius)
        overlaps += [obstacle.overlap(centre, radius, start) for obstacle in self.obstacles
                     if not obstacle.is_far(*corners)]
        for each in overlaps: # of equal ones the first
            if each and each[0] > found[0]:
                found = each
        return found if found[1] else None

    def is_free(self, centre, radius):
        return self.deepest(centre, radius, centre) is None

    def sweep(self, start, motion, radius):
        """The part of a motion after which a circle touches something, or MISS."""
        (x, y), (left, low, right, high), end = start, self.border, add(start, motion)
        reach = radius + 1e-6
        corners = (min(x, end[0]) - reach, min(y, end[1]) - reach), (
            max(x, end[0]) + reach, max(y, end[1]) + reach)
        times = [touch_side(x - radius - left, motion[0]),
                 touch_side(right - radius - x, 0 - motion[0]),
                 touch_side(y - radius - low, motion[1]),
                 touch_side(high - radius - y, 0 - motion[1])]
        return min(times + [obstacle.touch(start, motion, radius) for obstacle in self.obstacles
                            if not obstacle.is_far(*corners)])

    def push_out(self, centre, radius, start):
        """The centre of a circle after it left what it overlaps, or None if it does not fit."""
        held = 0.0, 0.0 # normal of the last push
        for _ in range(8):
            if (found := self.deepest(centre, radius, start)) is None:
                return centre
            depth, normal = found
            way = add(normal, held, -dot(held, normal)) # along what it was pushed out of
            gain = dot(way, normal)
            if gain < 1e-3:
                way, gain = normal, 1.0
            centre, held = add(centre, way, depth / gain), normal
        return centre if self.is_free(centre, radius) else None

    def stop_short(self, start, motion, radius):
        end = add(start, motion, min(self.sweep(start, motion, radius), 1.0))
        return end if self.is_free(end, radius) else start

    def stride(self, start, motion, radius): # at most half a radius long
        end = self.push_out(add(start, motion), radius, start)
        moved = end and sub(end, start)
        if not end or dot(moved, moved) >= radius * radius or (
                dot(moved, motion) < 0 and self.is_free(start, radius)):
            return self.stop_short(start, motion, radius)
        return end

    def slide(self, start, motion, radius):
        strides = int(sqrt(dot(motion, motion)) / (radius / 2)) + 1
        part = motion[0] * (1.0 / strides), motion[1] * (1.0 / strides)
        for _ in range(strides):
            start = self.stride(start, part, radius)
        return start

    def settle(self, start, end, radius):
        """A free point of the grid near the end of a motion."""
        if on_grid(end):
            return end
        motion = sub(end, start)
        while (corner := self.free_corner(start, end, radius)) is None:
            motion = motion[0] * 0.5, motion[1] * 0.5
            if dot(motion, motion) < STEP * STEP:
                return start
            end = self.slide(start, motion, radius)
        return corner

    def free_corner(self, start, end, radius): # the nearest of the grid's cell
        near = round_away(end[0], start[0]), round_away(end[1], start[1])
        far = (near[0] + (-STEP if end[0] < near[0] else STEP),
               near[1] + (-STEP if end[1] < near[1] else STEP))
        sides = [(far[0], near[1]), (near[0], far[1])]
        if abs(end[0] - near[0]) <= abs(end[1] - near[1]):
            sides.reverse()
        for corner in (near, *sides, far):
            if corner == start or self.is_free(corner, radius):
                return corner
        return None

    def creep(self, start, motion, end, radius, tick):
        """A slide of less than a step: a whole step, in some ticks."""
        slide, length = (sub(end, start)[0] * 32, sub(end, start)[1] * 32), dot(motion, motion)
        clear = min(1.0, self.sweep(start, motion, radius))
        best, best_distance, best_part = start, inf, 0.0
        for step in ((x, y) for y in (-1.0, 0.0, 1.0) for x in (-1.0, 0.0, 1.0) if x or y):
            part, aside = dot(slide, step) / dot(step, step), sub(slide, step)
            to = add(start, step, STEP)
            if part <= 1e-6 or dot(aside, aside) >= best_distance or dot(step, motion) < 0 \
                    or not self.is_free(to, radius):
                continue
            ahead = dot(step, motion) * STEP # the path must get longer by this step
            if ahead + (min(1.0, self.sweep(to, motion, radius)) - clear) * length \
                    > 1e-6 * sqrt(length):
                best, best_distance, best_part = to, dot(aside, aside), part
        return best if tick * 0x9E3779B9 % 2**32 < best_part * 2.0**32 else start

    def run(self, start, motion, radius, tick):
        """Where a player is at tick + 1 who runs from start, by a whole number of steps."""
        end = self.slide(start, motion, radius)
        if end == add(start, motion):
            return end
        settled = self.settle(start, end, radius)
        moved = sub(settled, start)
        if abs(moved[0]) > STEP or abs(moved[1]) > STEP:
            return settled
        return self.creep(start, motion, end, radius, tick)

    def push_apart(self, a, b, radius):
        """Where two players are after the server has pushed them apart."""
        between = sub(b, a)
        squared = dot(between, between)
        if squared >= 4 * radius * radius:
            return a, b
        distance = sqrt(squared)
        normal = (between[0] * (1 / distance), between[1] * (1 / distance)) if distance > 0 \
            else (1.0, 0.0)
        half = normal[0] * ((2 * radius - distance) / 2), normal[1] * ((2 * radius - distance) / 2)
        back = half[0] * -1, half[1] * -1
        return (self.settle(a, self.slide(a, back, radius), radius),
                self.settle(b, self.slide(b, half, radius), radius))

def on_grid(point):
    return all(floor(each * 32 + 0.5) / 32 == each for each in point)

def round_away(value, start): # to the grid; half a step away from start
    steps = value * 32
    return (ceil(steps - 0.5) if value < start else floor(steps + 0.5)) / 32
