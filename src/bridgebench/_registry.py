"""Everything Inspect finds under ``bridgebench/``."""

from bridgebench.benchmarks.ambigqa.ambigqa import ambigqa
from bridgebench.benchmarks.arxiv_cards.arxiv_cards import arxiv_cards
from bridgebench.benchmarks.crag.crag import crag
from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.benchmarks.longbench.longbench import longbench
from bridgebench.benchmarks.msmarco.msmarco import msmarco
from bridgebench.benchmarks.musique.musique import musique
from bridgebench.benchmarks.twowiki.twowiki import twowiki
from bridgebench.benchmarks.world.reader import world_reader
from bridgebench.benchmarks.world.teacher import world_teacher
from bridgebench.models.fake import fake
from bridgebench.models.local import local
from bridgebench.models.training.preferences import answer_from_sets, preferences, preferred
from bridgebench.models.training.supervision import supervised, supervision
from bridgebench.scorers.ambigqa_f1 import ambigqa_f1
from bridgebench.scorers.containment import containment
from bridgebench.scorers.context import context
from bridgebench.scorers.cost import cost
from bridgebench.scorers.judge import judge
from bridgebench.scorers.qa_f1 import qa_f1
from bridgebench.scorers.ranking import ranking
from bridgebench.scorers.retrieval_cost import retrieval_cost
from bridgebench.scorers.roles import require_roles
from bridgebench.scorers.rouge_bleu import rouge_bleu
from bridgebench.scorers.utility import utility
from bridgebench.solvers.answer_directly import answer_directly
from bridgebench.solvers.bge_reranker import bge_reranker
from bridgebench.solvers.bm25_reranker import bm25_reranker
from bridgebench.solvers.cards.tasks import card_queries, cards
from bridgebench.solvers.cards.writer import card_writer
from bridgebench.solvers.compact import compact
from bridgebench.solvers.controls import naive, no_documents, shuffle, truncate
from bridgebench.solvers.embedding_reranker import embedding_reranker
from bridgebench.solvers.exit_compressor import exit_compressor
from bridgebench.solvers.llmlingua2 import llmlingua2
from bridgebench.solvers.precomputed import precomputed
from bridgebench.solvers.provence import provence
from bridgebench.solvers.question_cards import question_cards
from bridgebench.solvers.r2u import r2u
from bridgebench.solvers.r2u_teacher import r2u_teacher
from bridgebench.solvers.rag import bridge_stage, registered_rag
from bridgebench.solvers.rank_gpt import rank_gpt
from bridgebench.solvers.rank_k import rank_k
from bridgebench.solvers.rank_zephyr import rank_zephyr
from bridgebench.solvers.recomp_abstractive import recomp_abstractive
from bridgebench.solvers.recomp_extractive import recomp_extractive
from bridgebench.solvers.refiner import refiner
from bridgebench.solvers.retrieval.bm25 import bm25
from bridgebench.solvers.retrieval.chunk_vectors import (
    fixed_chunks,
    mean_chunk_vectors,
    recursive_chunks,
    semantic_chunks,
)
from bridgebench.solvers.retrieval.hybrid import hybrid
from bridgebench.solvers.retrieval.paper_vectors import abstract_introduction_vectors, card_vectors, question_vectors
from bridgebench.solvers.summarize import summarize
from bridgebench.solvers.syntactic_reranker import syntactic_reranker

__all__ = [
    "abstract_introduction_vectors",
    "ambigqa",
    "ambigqa_f1",
    "answer_directly",
    "answer_from_sets",
    "arxiv_cards",
    "bge_reranker",
    "bm25",
    "bm25_reranker",
    "bridge_stage",
    "card_queries",
    "card_vectors",
    "card_writer",
    "cards",
    "compact",
    "containment",
    "context",
    "cost",
    "crag",
    "embedding_reranker",
    "exit_compressor",
    "fake",
    "fixed_chunks",
    "hotpotqa",
    "hybrid",
    "judge",
    "llmlingua2",
    "local",
    "longbench",
    "mean_chunk_vectors",
    "msmarco",
    "musique",
    "naive",
    "no_documents",
    "precomputed",
    "preferences",
    "preferred",
    "provence",
    "qa_f1",
    "question_cards",
    "question_vectors",
    "r2u",
    "r2u_teacher",
    "rank_gpt",
    "rank_k",
    "rank_zephyr",
    "ranking",
    "recomp_abstractive",
    "recomp_extractive",
    "recursive_chunks",
    "refiner",
    "registered_rag",
    "require_roles",
    "retrieval_cost",
    "rouge_bleu",
    "semantic_chunks",
    "shuffle",
    "summarize",
    "supervised",
    "supervision",
    "syntactic_reranker",
    "truncate",
    "twowiki",
    "utility",
    "world_reader",
    "world_teacher",
]
