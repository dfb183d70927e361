"""The networks of Provence (arXiv 2501.16214) and of its open reimplementation: a score and a keep probability a token.

Own classes with the names of the published weights, so that no code from the hub runs.
"""

# mypy: disable-error-code="no-untyped-call"
# transformers has types, but not everywhere

from typing import Any

import torch
import transformers
from torch import nn
from transformers.models.deberta_v2.modeling_deberta_v2 import ContextPooler


class Provence(transformers.DebertaV2PreTrainedModel):
    """DeBERTa-v3 with a reranking head on its pooled first token and a keep-or-drop head on every token."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.deberta = transformers.DebertaV2Model(config)
        self.pooler = ContextPooler(config)
        self.classifier = nn.Linear(self.pooler.output_dim, config.num_labels)
        self.token_classifier = nn.Linear(config.hidden_size, 2)
        self.post_init()

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Reranking logits (batch,) and keep probabilities (batch, tokens)."""
        states = self.deberta(input_ids, attention_mask=attention_mask).last_hidden_state
        return self.classifier(self.pooler(states))[:, 0], self.token_classifier(states).softmax(-1)[..., 1]


class OpenProvenceConfig(transformers.PretrainedConfig):
    """Config of ``hotchpotch/open-provence-reranker-*``: the reranker's own config is nested in it."""

    model_type = "open_provence"

    def __init__(self, base_model_config: dict[str, Any] | None = None, **kwargs: Any) -> None:
        self.base_model_config = base_model_config or {"model_type": "modernbert"}
        kwargs.pop("max_length", None)  # how much it reads; transformers takes it for a setting of generation
        super().__init__(**kwargs)


class OpenProvence(transformers.PreTrainedModel):
    """A reranker of transformers (ModernBERT) with a keep-or-drop head on every token of its last layer."""

    config_class = OpenProvenceConfig
    _supports_sdpa = True

    def __init__(self, config: OpenProvenceConfig) -> None:
        super().__init__(config)
        base: Any = transformers.AutoConfig.for_model(**config.base_model_config)
        base.num_labels = config.num_labels
        # the head was trained on states before the final norm: what transformers 4 gave as the last hidden state
        base.tie_last_hidden_states = False
        self.ranking_model = transformers.AutoModelForSequenceClassification.from_config(base)
        self.pruning_head = nn.ModuleDict({"classifier": nn.Linear(base.hidden_size, 2)})
        self.post_init()

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Reranking logits (batch,) and keep probabilities (batch, tokens)."""
        output = self.ranking_model(input_ids, attention_mask=attention_mask, output_hidden_states=True)
        keep = self.pruning_head["classifier"](output.hidden_states[-1]).softmax(-1)[..., 1]
        return output.logits[:, 0], keep
