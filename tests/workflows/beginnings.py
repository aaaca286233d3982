"""The first minutes with the driver: `weft init`, and agents without a model. The second argument is the
folder of projects that the build has made from the templates.
"""
import pathlib
import resource
import sys
import tempfile

import driver
from driver import Case, FOLDER, Server, Terminal, weft

BUILT = pathlib.Path(sys.argv[2])


def tree(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


class Init(Case):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER))

    def test_a_project_has_the_files_that_the_build_compiles(self):
        for kind, option in (("workflow", []), ("agent", ["--agent"])):
            name = f"init_{kind}"
            result = weft("init", *option, name, cwd=self.folder)
            self.expect(result, 0)
            self.assertIn("cmake -B build", result.out)
            self.assertEqual(tree(self.folder / name), tree(BUILT / name))
            self.assertIn(".gitignore", tree(self.folder / name))

    def test_names_that_cannot_be_are_refused_and_leave_nothing(self):
        for name, words in (("a/b", "not a path"), ("..", "not a path"), (".", "not a path"), ("/x/y", "not a path"),
                            ("7up", "begins with a digit"), ("class", "C++ or CMake"), ("test", "C++ or CMake"),
                            ("Namespace", "C++ or CMake"), ("my shop", "write letters"), ("-x", ""),
                            ("é", "write letters"), ("a" * 65, "longer"), ("a\nb", "write letters"),
                            ("a;b", "write letters"), ("$(x)", "write letters")):
            with self.subTest(name=name):
                self.expect(weft("init", name, cwd=self.folder), 2, words)
        self.expect(weft("init", cwd=self.folder), 2)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_nothing_is_overwritten(self):
        (self.folder / "full").mkdir()
        (self.folder / "full" / "mine").write_text("mine")
        (self.folder / "file").write_text("mine")
        (self.folder / "link").symlink_to("nowhere")
        for name in ("full", "file", "link"):
            self.expect(weft("init", name, cwd=self.folder), 2, "is there already")
        self.assertEqual(tree(self.folder), {"full/mine": b"mine", "file": b"mine"})
        (self.folder / "empty").mkdir()
        self.expect(weft("init", "empty", cwd=self.folder), 0)
        self.expect(weft("init", "my-shop", cwd=self.folder), 0)
        self.expect(weft("init", "my-shop", cwd=self.folder), 2, "not empty")

    def test_an_error_leaves_nothing(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))
        result = weft("init", "shop", cwd=self.folder, preexec_fn=small_files)
        self.expect(result, 3, "cannot be written")
        self.assertEqual(list(self.folder.iterdir()), [])


class WithoutAModel(Case):
    def test_a_question_that_no_script_knows_gets_the_ways_and_the_questions(self):
        result = weft("react", "Why?")
        self.expect(result, 3, "there is no model to answer this: set OPENAI_API_KEY")
        for part in ("ollama pull llama3.2", "weft scripts", '"How many orders were there in 2024?"'):
            self.assertIn(part, result.err)
        with Server({"models": []}) as (_, url):
            self.expect(weft("react", "Why?", env={"OLLAMA_HOST": url}), 3, "load a model into Ollama")

    def test_input_without_a_question_is_noticed(self):
        for text in ("", "\n  \n"):
            result = weft("react", text=text)
            self.expect(result, 0, "standard input has no question")
            self.assertEqual(result.out, "")

    def test_a_conversation_begins_with_the_questions_and_the_ways(self):
        terminal = Terminal("react")
        for part in ("There is no model", "How many orders were there in 2024?", "OPENAI_API_KEY",
                     "ollama pull llama3.2", "weft scripts"):
            terminal.expect(part)
        terminal.prompt("weft> ")
        terminal.type("How many orders were there in 2024?\r")
        terminal.expect("There were 34 orders in 2024.\r\n")
        terminal.prompt("weft> ")
        terminal.type("exit\r")
        self.assertEqual(terminal.end(), 0)


driver.main()
