"""ROUGE-L and BLEU of the generator's answer, for benchmarks whose golds are sentences."""

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from bridgebench.scorers.answers import unanswered
from bridgebench.scorers.by_type import by_question_type
from bridgebench.scorers.overlap import NO_ANSWER, corpus_bleu, rouge_l, sentence_bleu
from bridgebench.scorers.qa_f1 import acceptable_answers


@metric(scores="unreduced")
def bleu() -> Metric:
    """Corpus BLEU-1 to BLEU-4 over all answers, every epoch's (an epoch has no single answer to reduce to)."""

    def corpus(scores: list[SampleScore]) -> Value:
        if not scores:
            return {}
        answers = [score.score.answer or "" for score in scores]
        return dict(corpus_bleu(answers, [(score.score.metadata or {})["references"] for score in scores]))

    return corpus


@scorer(
    metrics={
        "rouge_l": [mean(), stderr(cluster="cluster"), by_question_type()],
        "sentence_bleu": [mean(), stderr(cluster="cluster"), bleu()],
    }
)
def rouge_bleu() -> Scorer:
    """ROUGE-L and sentence BLEU a question, and corpus BLEU-1 to 4 over all, against the target's entries.

    As in MS MARCO's official script, a question whose gold is "No Answer Present." is left out (``unanswerable``).
    """

    async def score(state: TaskState, target: Target) -> Score:
        references = acceptable_answers(state, target)
        if NO_ANSWER in references:
            return Score.unscored(reason="unanswerable", answer=state.output.completion)
        if (no_answer := unanswered(state)) is not None:
            return no_answer
        answer = state.output.completion
        value = {"rouge_l": rouge_l(answer, references), "sentence_bleu": sentence_bleu(answer, references)}
        return Score(value=value, answer=answer, metadata={"references": references})

    return score
