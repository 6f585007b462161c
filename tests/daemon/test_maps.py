#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""raimmap: what it imports from files of Tiled, what it says about wrong ones, that a map survives
the way to Tiled and back, that no file is lost, and its drawings."""

import json
import os
import re
import unittest
import xml.etree.ElementTree

import harness
from harness import ROOT, Stage, run_raimd, run_raimmap

GOOD, FAILURE, USAGE, MISTAKE = 0, 1, 64, 78
SHIPPED = sorted((ROOT / "config/maps").iterdir())
YARD = ROOT / "tests/maps/yard.tmx"
HEAD = ('<map orientation="orthogonal" width="10" height="10" tilewidth="100" tileheight="100">\n'
        '<objectgroup name="walls">\n'
        '<object id="1" type="spawn" x="500" y="500"/>\n')
TAIL = '</objectgroup></map>\n'


def numbers_of(text):
    """Each list of a map file: its name, and its numbers in their order."""
    text = re.sub(r"#.*", "", text)
    return {key: [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", value)]
            for key, value in re.findall(r"(\w+) = ([^;]*);", text)}


class MapTest(unittest.TestCase):
    def setUp(self):
        self.stage = self.enterContext(Stage())
        self.directory = self.stage.directory
        self.out = self.directory / "out.conf"

    def run_good(self, command, path, out):
        result = run_raimmap(command, path, "-o", out)
        self.assertEqual((result.returncode, result.stdout), (GOOD, ""), result.stderr)
        return result.stderr

    def reject(self, text, *words, name="bad.tmx"):
        """Imports a wrong text; returns what is said about it."""
        path = self.stage.write_config(text, name)
        result = run_raimmap("import", path, "-o", self.out)
        self.assertEqual((result.returncode, result.stdout), (MISTAKE, ""), text)
        for line in result.stderr.splitlines():
            self.assertTrue(line.startswith(str(path)), line)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertFalse(self.out.exists())
        return result.stderr

    def reject_object(self, text, *words):
        return self.reject(HEAD + text + TAIL, f'bad.tmx:{HEAD.count(chr(10)) + 1}: ', *words)


class ImportTest(MapTest):
    def check_yard(self):
        lists = numbers_of(self.out.read_text(encoding="utf-8"))
        self.assertIn('name = "yard";', self.out.read_text(encoding="utf-8"))
        self.assertEqual(lists["border"], [-500, -400, 500, 400])
        self.assertEqual(lists["spawns"], [-450, 350, 100, -175.5])
        tower, door, box = (lists["obstacles"][:6], lists["obstacles"][6:14],
                            lists["obstacles"][-8:])
        self.assertEqual(tower, [-200, 100, -100, 100, -149.5, 170.03125])
        self.assertEqual(door, [100, 200, 100, 100, 60, 100, 60, 200])
        self.assertEqual(box, [250, -250.5, 300, -250.5, 300, -300.5, 250, -300.5])
        well = lists["obstacles"][14:-8]
        self.assertEqual(len(well), 2 * 16)
        for x, y in zip(well[::2], well[1::2]):
            self.assertAlmostEqual(((x + 320) / 80) ** 2 + ((y + 140) / 40) ** 2, 1, delta=0.002)

    def test_shapes_offsets_groups_and_classes(self):
        said = self.run_good("import", YARD, self.out)
        self.assertEqual(said, f'{YARD}:14: warning: layer 1 "Ground": skipped, only object '
                               'layers make a map\n')
        self.check_yard()

    def test_json_gives_the_same_map(self):
        said = self.run_good("import", YARD.with_suffix(".tmj"), self.out)
        self.assertIn(': layers[0]: warning: layer 1 "Ground": skipped', said)
        self.check_yard()

    def test_raimd_accepts_an_imported_map(self):
        self.run_good("import", YARD, self.out)
        config = self.stage.write_config(
            f'arenas = ( {{ name = "a"; port = 7246; map = "{self.out}"; }} );\n')
        result = run_raimd("-t", "-c", config)
        self.assertEqual(result.returncode, GOOD, result.stderr)

    def test_border_and_origin_take_the_place_of_the_map(self):
        path = self.stage.write_config(
            HEAD.replace('width="10"', 'width="2" infinite="1"') +
            '<object id="2" class="Border" x="-100.5" y="-200" width="900" height="800"/>\n'
            '<object id="3" type="origin" x="20" y="30"><point/></object>\n' + TAIL, "endless.tmx")
        self.assertEqual(self.run_good("import", path, self.out), "")
        self.assertEqual(numbers_of(self.out.read_text(encoding="utf-8")),
                         {"border": [-120.5, -570, 779.5, 230], "obstacles": [],
                          "spawns": [480, -470]})

    def test_an_object_that_is_no_shape_is_named_with_its_line(self):
        for child, words in ((' template="rock.tx"/>', "an object of a template"),
                             (' gid="7"/>', "a tile"),
                             ('><polyline points="0,0 9,9"/></object>', "a polyline"),
                             ('><text>hi</text></object>', "a text"),
                             ('><point/></object>', "a point for an obstacle"),
                             (' type="spawn"><polygon points="0,0 9,0 9,9"/></object>',
                              "a polygon for a spawn")):
            with self.subTest(words):
                self.reject_object(f'<object id="12" name="t&#10;r" x="1" y="2"{child}',
                                   'object 12 "t?r": got ' + words)

    def test_numbers_and_polygons_must_be_right(self):
        for attributes, child, words in (
                ('x="abc"', "", "wrong x"), ('x="1e9" width="9" height="9"', "", "wrong x"),
                ('x="nan" width="9" height="9"', "", "wrong x"),
                ('y="-1e9" width="9" height="9"', "", "wrong y"),
                ('rotation="inf" width="9" height="9"', "", "wrong rotation"),
                ("", '<polygon points="0,0 9,9"/>', "fewer corners"),
                ("", '<polygon points="0,0 9,9 x,9"/>', "fewer corners"),
                ("", f'<polygon points="{"0,0 " * 65}"/>', "more corners")):
            with self.subTest(attributes + child):
                self.reject_object(f'<object id="12" name="a" {attributes}>{child}</object>',
                                   'object 12 "a": got a', words)

    def test_there_is_one_border(self):
        border = '<object id="12" name="a" type="border" width="1000" height="1000"/>'
        self.reject_object(border + border, 'object 12 "a": got a second border, want one')

    def test_what_the_map_check_finds_is_said_of_the_objects(self):
        self.reject_object('<object id="12" name="cell" x="990" y="9" width="20" height="20"/>',
                           'object 12 "cell": got a corner outside the border')
        self.reject_object('<object id="13" type="spawn" x="-20" y="30"/>',
                           'object 13 "": got (-520, 470), want a point inside the border')
        self.reject_object('<object id="14" name="far" type="spawn" x="100" y="30"/>'
                           '<object id="15" x="300" y="0" width="9" height="1000"/>',
                           'object 14 "far": got (-400, 470), want a way to object 1 "" for a')
        path = self.stage.write_config(
            HEAD + '<object id="2" name="a" width="90" height="90"/>\n'
            '<object id="3" name="b" width="80" height="80"/>' + TAIL, "over.tmx")
        self.assertEqual(self.run_good("import", path, self.out),
                         f'{path}:4: warning: object 2 "a": overlaps object 3 "b"\n')

    def test_a_file_that_is_no_map_of_tiled_is_rejected(self):
        for text, words in (("", "got no JSON"), ("<map", ":1: got no XML"),
                            ("<svg/>", "got no <map>"), ("<map/>", 'the orientation ""'),
                            ("[]", 'the orientation ""'), ('{"layers": 5}', 'the orientation ""'),
                            ('<!DOCTYPE map [<!ENTITY a "b">]><map/>', "got declarations"),
                            (HEAD.replace("ortho", "octo") + TAIL, '"octogonal"'),
                            (HEAD.replace("width", 'infinite="1" width', 1) + TAIL, "infinite"),
                            (HEAD.replace("type=", "id2=") + TAIL, "a point for an obstacle"),
                            (HEAD.replace('"10" height="10"', '"1" height="1"') + TAIL, "border"),
                            ("\n" * (4 << 20) + " ", "more than 4194304 bytes")):
            with self.subTest(text[:80]):
                self.reject(text, words)
        nested = HEAD.replace("<objectgroup", "<group>" * 40 + "<objectgroup")
        self.reject(nested + TAIL.replace("</map>", "</group>" * 40 + "</map>"), "groups around it")
        self.reject("[" * 100000, "JSON")
        said = self.reject(HEAD + '<object/>' * 100000 + TAIL, "more than 4354 objects")
        self.assertEqual(said.count("\n"), 4354) # all but the first, and one more
        self.reject(json.dumps({"orientation": "orthogonal", "layers": [
            {"type": "objectgroup", "name": "a", "objects": [
                {"id": 7, "name": "p", "polyline": []}]}]}),
            ': layers[0].objects[0]: object 7 "p": got a polyline')

    def test_the_name_is_the_property_or_the_files(self):
        named = HEAD.replace("<objectgroup", '<properties><property name="name" value="{}"/>'
                             "</properties><objectgroup") + TAIL
        self.reject(named.format("a&quot;; b"), '"name" = "a"; b", want 1 to 31')
        self.out = self.directory / "No Name.conf"
        self.reject(HEAD + TAIL, "file name that cannot serve")


class FileTest(MapTest):
    def test_usage(self):
        for words in ([], ["import"], ["import", "a"], ["import", "-o", "b"], ["play", "a", "-o", "b"],
                      ["draw", "a", "b", "-o", "c"]):
            with self.subTest(words):
                result = run_raimmap(*words)
                self.assertEqual((result.returncode, result.stdout), (USAGE, ""))

    def test_a_mistake_leaves_the_file_and_no_other(self):
        self.out.write_text("mine", encoding="utf-8")
        bad = self.stage.write_config("<map/>", "bad.tmx")
        before = sorted(self.directory.iterdir())
        for path in (bad, self.directory / "none.tmx", self.directory):
            self.assertEqual(run_raimmap("import", path, "-o", self.out).returncode, MISTAKE)
        self.assertEqual(self.out.read_text(encoding="utf-8"), "mine")
        result = run_raimmap("import", YARD, "-o", self.directory / "no/out.conf")
        self.assertEqual(result.returncode, FAILURE)
        self.assertIn("No such file", result.stderr)
        self.assertEqual(run_raimmap("import", YARD, "-o", self.directory).returncode, FAILURE)
        self.assertEqual(sorted(self.directory.iterdir()), before)

    def test_a_file_is_replaced_behind_its_link_and_keeps_its_mode(self):
        self.out.write_text("mine", encoding="utf-8")
        self.out.chmod(0o640)
        link = self.directory / "link.conf"
        link.symlink_to(self.out)
        self.run_good("import", YARD, link)
        self.assertTrue(link.is_symlink())
        self.assertIn("yard", self.out.read_text(encoding="utf-8"))
        self.assertEqual(self.out.stat().st_mode & 0o777, 0o640)

    def test_a_file_that_cannot_be_written_stays(self):
        self.out.write_text("mine", encoding="utf-8")
        before = sorted(self.directory.iterdir())
        result = run_raimmap("export", SHIPPED[0], "-o", self.out, prefix=(
            "sh", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$@"', "sh"))
        self.assertEqual(result.returncode, FAILURE)
        self.assertIn("File too large", result.stderr)
        self.assertEqual(self.out.read_text(encoding="utf-8"), "mine")
        self.assertEqual(sorted(self.directory.iterdir()), before)

    def test_a_pipe_is_written_and_stays(self):
        os.mkfifo(self.out)
        reader = os.open(self.out, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.run_good("import", YARD, self.out)
        self.assertIn(b'name = "yard";', os.read(reader, 65536))
        self.assertTrue(self.out.is_fifo())

    def test_a_new_file_can_be_read_by_others(self):
        mask = os.umask(0o022)
        self.addCleanup(os.umask, mask)
        self.run_good("import", YARD, self.out)
        self.assertEqual(self.out.stat().st_mode & 0o777, 0o644)


class ExportTest(MapTest):
    def test_every_shipped_map_survives_the_way_to_tiled_and_back(self):
        for path in SHIPPED:
            with self.subTest(path.name):
                self.run_good("export", path, self.directory / "a.tmx")
                self.assertEqual(self.run_good("import", self.directory / "a.tmx", self.out), "")
                text = self.out.read_text(encoding="utf-8")
                self.assertIn(f'name = "{path.stem}";', text)
                self.assertEqual(numbers_of(text), numbers_of(path.read_text(encoding="utf-8")))

    def test_a_map_off_the_grid_survives(self):
        path = self.stage.write_config(
            "name = \"odd\"; border = (-10.03125, 5, 500.5, 205); obstacles = ();\n"
            "spawns = ((99.5, 100));\n", "odd.conf")
        self.run_good("export", path, self.directory / "a.tmx")
        self.run_good("import", self.directory / "a.tmx", self.out)
        self.assertEqual(numbers_of(self.out.read_text(encoding="utf-8")),
                         numbers_of(path.read_text(encoding="utf-8")))


class DrawTest(MapTest):
    def test_every_shipped_map_becomes_an_image(self):
        for path in SHIPPED:
            with self.subTest(path.name):
                self.assertEqual(self.run_good("draw", path, self.out), "")
                kinds = [(element.tag.split("}")[1], element.get("class"))
                         for element in xml.etree.ElementTree.parse(self.out).iter()]
                outlines = kinds.count(("polygon", "outline"))
                self.assertGreater(kinds.count(("polygon", "piece")), outlines)
                self.assertGreater(outlines, 10)
                self.assertGreater(kinds.count(("circle", "spawn")), 10)
                self.assertEqual(kinds.count(("rect", "view")), 1)
                self.assertIn(f">{path.stem}</text>", self.out.read_text(encoding="utf-8"))

    def test_an_odd_map_is_drawn_and_its_oddity_told(self):
        path = self.stage.write_config("border = (0, 0, 500, 500); spawns = ((250, 250));\n"
                                       "obstacles = ( ((9, 9), (90, 9), (9, 90)),\n"
                                       "((9, 9), (90, 90), (9, 90)) );\n", "odd.conf")
        self.assertEqual(self.run_good("draw", path, self.out),
                         f"{path}:2: obstacles[0]: warning: overlaps obstacles[1]\n")
        self.assertTrue(self.out.exists())

    def test_a_wrong_map_is_not_drawn(self):
        path = self.stage.write_config("border = (0, 0, 500, 500);\n", "wrong.conf")
        result = run_raimmap("draw", path, "-o", self.out)
        self.assertEqual(result.returncode, MISTAKE)
        self.assertIn("spawns", result.stderr)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    harness.main()
