"""The command line: every command has help, and an error of the user's is one message."""

import pytest

from bridgebench.cli import COMMANDS, main


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    assert command in capsys.readouterr().out


def test_no_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([])
    assert stopped.value.code == 2
    assert all(command in capsys.readouterr().err for command in ["usage"])


def test_a_bad_file_is_one_message_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "no/such/[file].jsonl", "--metric", "hotpotqa"]) == 2
    error = capsys.readouterr().err
    assert "no/such/[file].jsonl" in error
    assert "Traceback" not in error
