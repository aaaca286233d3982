"""Conversations: piped, with one question per line; on a terminal, with line editing; and Ctrl-C in both."""
import fcntl
import json
import os
import select
import signal
import subprocess
import termios
import time

import driver
from driver import Case, Server, Terminal, script, weft

HANGS = {"reply": "Thought: I wait.\nAnswer: late", "delay_ms": 600000}


class Piped(Case):
    def test_every_question_has_one_line_of_answer(self):
        model = script("Answer: one\nand a half", "Answer: two")
        result = weft("react", "--model", model, text="first?\n\n \nsecond?\n")
        self.expect(result, 0)
        self.assertEqual(result.out, "one and a half\ntwo\n")

    def test_a_last_line_without_a_line_break_counts(self):
        self.assertEqual(weft("react", "--model", script("Answer: 1", "Answer: 2"), text="a\r\nb").out, "1\n2\n")

    def test_a_mistake_in_the_options_is_reported_once_before_any_question(self):
        for words, code in ((["--db", "/no/db"], 3), (["--tools", "fly"], 2), (["--system", "@/no/text"], 3)):
            result = weft("react", "--model", script("Answer: 1"), *words, text="a\nb\n")
            self.expect(result, code)
            self.assertEqual((result.out, len(result.err.splitlines())), ("", 1), result)

    def test_an_input_without_questions_gives_no_answer(self):
        result = weft("react", "--model", script("Answer: 1"), text="\n")
        self.expect(result, 0)
        self.assertEqual(result.out, "")

    def test_the_agent_remembers_the_conversation(self):
        model = script("Answer: It is 3.", "Answer: As I said.")
        result = weft("react", "--json", "--model", model, text="1+2?\nsure?\n")
        self.assertEqual([e["response"] for e in result.events], ["It is 3.", "As I said."])

    def test_the_exit_code_is_the_first_that_is_not_0_and_every_question_has_its_line(self):
        model = script("Answer: 1", {"fail": "out of order"})  # the model remembers the answer, and not the failure
        result = weft("react", "--model", model, text="a\nb\nc\n")
        self.expect(result, 5, "out of order")
        self.assertEqual(result.out, "1\n\n\n")
        result = weft("react", "--json", "--model", model, text="a\nb\n")
        self.assertEqual([e["outcome"] for e in result.events], ["answered", "failed"])

    def test_a_line_without_end_is_refused(self):
        result = weft("react", "--model", script("Answer: 1"), text="x" * (2 << 20))
        self.expect(result, 2, "longer than a megabyte")
        self.assertEqual(result.out, "\n")

    def test_an_overlong_line_fails_alone(self):
        long = "x" * (1 << 20)
        for lines in (["a", long + "y", "b", long], ["a", 3 * long, "b", long], ["a", 3 * long + "\r", "b", "c"]):
            model = script("Answer: 1", "Answer: 2", "Answer: 3")
            result = weft("react", "-q", "--model", model, text="\n".join(lines))
            self.expect(result, 2, "longer than a megabyte")
            self.assertEqual((result.out, result.err.count("weft: ")), ("1\n\n2\n3\n", 1))
        result = weft("react", "--json", "--model", script("Answer: 1"), text=3 * long + "\na\n")
        self.assertEqual([e["outcome"] for e in result.events], ["failed", "answered"])

    def test_a_past_without_room_is_summarised_on_request(self):
        long = "x" * 600
        notes = {"reply": "They asked for x.", "prompt": "You keep the notes"}
        replies = [{"when": f"{n}: x", "reply": f"Answer: so {n}"} for n in range(8)]
        lines = "".join(f"{n}: {long}?\n" for n in range(8))
        answers = "".join(f"so {n}\n" for n in range(8))
        words = ["--context", "1300", "--tools", "add"]
        for agent in ("react", "agent"):  # which uses text with a script without calls
            model = script(*replies, notes, by_guards=True)
            record = str(driver.FOLDER / f"{agent}.jsonl")
            result = weft(agent, "--model", model, *words, "--summarize", "--record", record, text=lines)
            self.expect(result, 0)
            self.assertEqual((result.out, result.err.count("Summary: They asked for x.")), (answers, 1), result)
            if agent == "react":
                result = weft(agent, "--model", "replay:" + record, *words, "--summarize", text=lines)
                self.assertEqual((result.out, result.err.count("Summary: They asked for x.")), (answers, 1), result)
            result = weft(agent, "--model", model, *words, text=lines)
            self.assertEqual((result.out, result.err.count("Summary")), (answers, 0), result)

    def test_prompts_of_reflect_have_a_bound(self):
        action = json.dumps({"request": "final_answer", "argument": "so"})
        lines = "".join(f"{n}: {'x' * 600}?\n" for n in range(8))

        def longest(*words):  # the server's longest prompt, in tokens
            with Server({"choices": [{"message": {"content": action}, "finish_reason": "stop"}]}) as (server, url):
                result = weft("reflect", "-q", "--no-stream", "--model", "openai:any", "--base-url", url + "/v1",
                              "--tools", "add", *words, text=lines)
            self.expect(result, 0)
            self.assertEqual(result.out, 8 * "so\n")
            prompts = [json.loads(body)["messages"] for _, _, body in server.asked]
            return max(sum(4 + -(-len(m["content"].encode()) // 4) for m in prompt) for prompt in prompts)

        self.assertGreater(longest(), 1500)
        self.assertLessEqual(longest("--context", "1300"), 1300)

    def test_summaries_are_refused_where_they_would_have_no_effect(self):
        model = script("Answer: 1")
        self.expect(weft("react", "--model", model, "--summarize", "why?"), 2, "add --context TOKENS")
        result = weft("reflect", "--model", model, "--summarize", "--context", "900", "why?")
        self.expect(result, 2, "--summarize is for `weft react` and `weft agent`")

    def test_sample_questions_need_no_model_and_others_name_the_cure(self):
        result = weft("react", "-q", text="How many orders were there in 2024?\nWhy?\n")
        self.expect(result, 3, "the bundled script orders")
        self.expect(result, 3, "OPENAI_API_KEY")
        self.assertEqual(result.out, "There were 34 orders in 2024.\n\n")


class Interrupted(Case):
    def start(self, *words, **more):
        return subprocess.Popen([driver.DRIVER, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=driver.environment(), cwd=driver.FOLDER, **more)

    def test_the_first_signal_cancels_the_run_with_a_message(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.start("react", "--events", "--model", script(HANGS), "what?") as process:
                first = process.stdout.readline()  # the run has begun
                process.send_signal(number)
                out, err = process.communicate(timeout=driver.LIMIT)
            self.assertIn(b"TurnEvent", first)
            self.assertEqual(process.returncode, 8, err)
            self.assertIn(b"weft: cancelled", err)
            self.assertIn(b"RunCancelledEvent", out.splitlines()[-1])

    def test_the_second_signal_ends_a_process_that_cannot_stop(self):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)  # without a reader the process blocks in a write
        with subprocess.Popen([driver.DRIVER, "react", "-q", "--model", script("Answer: " + "x" * 100000), "what?"],
                              stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE,
                              env=driver.environment()) as process:
            os.close(writer)
            select.select([reader], [], [], driver.LIMIT)
            end = time.monotonic() + driver.LIMIT
            while process.poll() is None and time.monotonic() < end:
                process.send_signal(signal.SIGINT)
                time.sleep(0.1)  # signals within 0.3 s are one request
            process.kill()
            err = process.stderr.read()
        os.close(reader)
        self.assertEqual(process.returncode, 8)
        self.assertIn(b"weft: interrupted again", err)

    def test_no_further_question_is_asked_after_a_signal(self):
        with self.start("react", "--events", "--model", script(HANGS)) as process:
            process.stdin.write(b"a\nb\n")
            process.stdin.flush()
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=driver.LIMIT)
        self.assertEqual(process.returncode, 8, err)
        self.assertEqual(out.count(b"RunCancelledEvent"), 1)

    def test_a_signal_ends_the_wait_for_input(self):
        with self.start("react", "--model", script("Answer: 1")) as process:
            process.stdin.write(b"a\n")
            process.stdin.flush()
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=driver.LIMIT), 8)

    def test_a_signal_and_a_deadline_end_the_wait_for_a_piped_answer(self):
        words = ["run", "refund", "--input", '{"order": "A-17", "amount": 120}']
        with self.start(*words) as process:
            self.assertIn(b"ApprovalRequestEvent", process.stderr.readline())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=driver.LIMIT), 8)
            self.assertIn(b"weft: cancelled", process.stderr.read())
        with self.start(*words, "--timeout", "300ms") as process:
            self.assertEqual(process.wait(timeout=driver.LIMIT), 7)
            self.assertIn(b"a longer --timeout gives it more time", process.stderr.read())

    def test_a_tool_call_and_a_workflow_can_be_cancelled(self):
        endless = ('{"sql_query": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) '
                   'SELECT COUNT(*) FROM c"}')
        result = weft("call", "sql_db_query", endless, "--timeout", "300ms")
        self.expect(result, 7)
        result = weft("run", "react", "--model", script(HANGS), "--input", '{"text": "what?"}', "--timeout", "200ms")
        self.expect(result, 7)


class OnTerminal(Case):
    def test_a_conversation_is_edited_answered_and_ended(self):
        terminal = Terminal("react", "--model", script("Answer: one", "Answer: two"))
        terminal.prompt("weft> ")
        terminal.type("firts\b\bst?\r")
        terminal.expect("one\r\n")
        terminal.prompt("weft> ")
        terminal.type("half a line\x03")  # the line is dropped
        terminal.prompt("weft> ")
        terminal.type("second?\r")
        terminal.expect("two\r\n")
        terminal.prompt("weft> ")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0)
        self.assertTrue(terminal.seen.endswith(b"\r\n"), terminal.seen)  # so that the shell's prompt begins a line

    def test_commands_of_a_conversation_are_listed_and_an_unknown_one_is_no_question(self):
        terminal = Terminal("react", "--model", script("Answer: one"))
        terminal.prompt("weft> ")
        terminal.type("/help\r")
        terminal.expect("Ctrl-D")
        terminal.prompt("weft> ")
        terminal.type("/hlep\r")
        terminal.expect("there is no command /hlep; /help lists")
        terminal.prompt("weft> ")
        terminal.type("/etc/passwd is what?\r")
        terminal.expect("one\r\n")
        terminal.prompt("weft> ")
        terminal.type("/quit\r")
        self.assertEqual(terminal.end(), 0)

    def test_a_terminal_shows_progress_while_a_model_is_silent(self):
        terminal = Terminal("react", "--model", script({"when": "wait", **HANGS}))
        terminal.prompt("weft> ")
        terminal.type("wait\r")
        terminal.expect("... at work, ")
        terminal.type("\x03")
        terminal.expect("\r\x1b[K")
        terminal.expect("weft: cancelled")
        terminal.prompt("weft> ")
        terminal.type("exit\r")
        self.assertEqual(terminal.end(), 8)

    def test_ctrl_c_stops_the_answer_and_not_the_conversation(self):
        terminal = Terminal("react", "--model", script({"when": "wait", **HANGS}))
        terminal.prompt("weft> ")
        terminal.type("wait\r")
        terminal.expect("wait\r\n")
        terminal.type("\x03")
        terminal.expect("weft: cancelled")
        terminal.prompt("weft> ")
        terminal.type("exit\r")
        self.assertEqual(terminal.end(), 8)

    def test_colours_are_shown_only_by_terminals_that_accept_them(self):
        model = script("Thought: easy\nAnswer: 42")
        for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            terminal = Terminal("react", "--model", model, "what?", env=env)
            terminal.expect("42")
            self.assertEqual(terminal.end(), 0)
            self.assertEqual(b"\x1b[" in terminal.seen, coloured, env)
        self.assertNotIn("\x1b", weft("react", "--model", model, "what?").err)

    def test_a_signal_and_a_deadline_end_the_wait_for_an_answer_at_a_terminal(self):
        words = ["run", "refund", "--input", '{"order": "A-17", "amount": 120}']
        for number in (signal.SIGINT, signal.SIGTERM):
            terminal = Terminal(*words)
            terminal.prompt("granted (yes or no): ")
            os.kill(terminal.process, number)
            terminal.expect("weft: cancelled")
            self.assertEqual(terminal.end(), 8)
        terminal = Terminal(*words)
        terminal.prompt("granted (yes or no): ")
        terminal.type("half a line\x03")
        terminal.expect("weft: cancelled")
        self.assertEqual(terminal.end(), 8)
        terminal = Terminal(*words, "--timeout", "300ms")
        terminal.expect("weft: ")
        terminal.expect("a longer --timeout gives it more time")
        self.assertEqual(terminal.end(), 7)

    def test_pasted_lines_are_one_question(self):
        model = script({"when": "see: one two three; fo[20ur", "reply": "Answer: joined"}, "Answer: more")
        terminal = Terminal("react", "--model", model)
        terminal.expect("\x1b[?2004h")
        terminal.prompt("weft> ")
        terminal.type("see: \x1b[200~one\r\ntwo\n\nthr\x07ee;\tfo\x1b[20ur\r\x1b[201~")
        terminal.expect("fo[20ur")
        terminal.type("\r")
        terminal.expect("\x1b[?2004l")
        terminal.expect("joined\r\n")
        terminal.expect("\x1b[?2004h")
        terminal.prompt("weft> ")
        terminal.type("\x1b[200~half\n\x03")  # the end of the paste is missing
        terminal.expect("\x1b[?2004l")
        terminal.prompt("weft> ")
        terminal.type("\x1b[Dmore?\x1b[D\r")  # keys with the same first bytes keep their meaning
        terminal.expect("more\r\n")
        terminal.prompt("weft> ")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(terminal.seen.count(b"\x1b[?2004h"), terminal.seen.count(b"\x1b[?2004l"))
        terminal = Terminal("react", "--model", model, env={"TERM": "dumb"})
        terminal.prompt("weft> ")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0)
        self.assertNotIn(b"2004", terminal.seen)

    def test_two_signals_at_once_at_a_prompt_are_one_request_and_restore_the_terminal(self):
        for words, prompt in ((["react", "--model", script("Answer: one")], "weft> "),
                              (["run", "refund", "--input", '{"order": "A-17", "amount": 120}'], "(yes or no): ")):
            terminal = Terminal(*words)
            terminal.prompt(prompt)
            terminal.type("half a li")
            terminal.expect("half a li")
            os.kill(terminal.process, signal.SIGSTOP)  # so that both signals are pending before the first is handled
            os.waitpid(terminal.process, os.WUNTRACED)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
                os.kill(terminal.process, number)
            terminal.expect("\x1b[?2004l")
            terminal.expect("weft: cancelled")
            self.assertTrue(terminal.is_usual())
            self.assertEqual(terminal.end(), 8)
            self.assertNotIn(b"interrupted again", terminal.seen)

    def test_a_stopped_prompt_is_drawn_again_and_ctrl_backslash_restores_the_terminal(self):
        terminal = Terminal("react", "--model", script("Answer: one"))
        terminal.prompt("weft> ")
        terminal.type("say hel")
        terminal.expect("say hel")
        usual = termios.tcgetattr(terminal.stream)
        os.kill(terminal.process, signal.SIGSTOP)
        os.waitpid(terminal.process, os.WUNTRACED)
        usual[3] |= termios.ICANON | termios.ECHO  # a shell's mode while another command runs
        termios.tcsetattr(terminal.stream, termios.TCSANOW, usual)
        os.kill(terminal.process, signal.SIGCONT)
        terminal.expect("weft> ")
        terminal.expect("say hel")
        self.assertFalse(terminal.is_usual())
        terminal.type("\x1b[1;5D\x1b]11;rgb:00/00/00\x07\x1b[1;5C\x1b[24;80Rlo\r")
        terminal.expect("one\r\n")
        terminal.prompt("weft> ")
        terminal.type("\x1c")
        terminal.expect("\x1b[?2004l")
        self.assertEqual(os.WTERMSIG(os.waitpid(terminal.process, 0)[1]), signal.SIGQUIT)
        self.assertTrue(terminal.is_usual())

    def test_sigterm_ends_a_conversation(self):
        terminal = Terminal("react", "--model", script("Answer: one"))
        terminal.prompt("weft> ")
        os.kill(terminal.process, signal.SIGTERM)
        terminal.expect("weft: cancelled")
        self.assertEqual(terminal.end(), 8)
        terminal = Terminal("react", "--model", script({"when": "wait", **HANGS}))
        terminal.prompt("weft> ")
        terminal.type("wait\r")
        terminal.expect("wait\r\n")
        os.kill(terminal.process, signal.SIGTERM)
        terminal.expect("weft: cancelled")
        self.assertEqual(terminal.end(), 8)

    def test_a_workflow_asks_a_human_field_by_field(self):
        terminal = Terminal("run", "refund", "--input", '{"order": "A-17", "amount": 120}')
        terminal.expect("Refund 120.00 for order A-17?")
        terminal.prompt("granted (yes or no): ")
        terminal.type("perhaps\r")
        terminal.expect("weft: granted takes yes or no")
        terminal.prompt("granted (yes or no): ")
        terminal.type("yes\r")
        terminal.prompt("comment (string, may be empty): ")
        terminal.type("\r")
        terminal.expect('"granted":true')
        self.assertEqual(terminal.end(), 0)


driver.main()
