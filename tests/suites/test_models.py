"""Models of a stage."""

from bridgebench.suites.cells import ModelChoice
from bridgebench.suites.models import MAX_RETRIES, opened_models


def test_a_model_is_made_once_a_role_and_does_not_retry_for_ever() -> None:
    choice = ModelChoice("recorded/a", {}, None, {"max_tokens": 3})
    with opened_models() as make:
        bridge = make(choice, role="bridge")
        assert make(choice, role="bridge") is bridge
        assert make(choice, role="grader") is not bridge
        assert (bridge.config.max_tokens, bridge.config.max_retries) == (3, MAX_RETRIES)
        own = make(ModelChoice("recorded/b", {}, None, {"max_retries": 1}))
        assert own.config.max_retries == 1
