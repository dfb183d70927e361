"""Everything Inspect finds under ``bridgebench/``."""

from bridgebench.benchmarks.ambigqa.ambigqa import ambigqa
from bridgebench.benchmarks.arxiv_cards.arxiv_cards import arxiv_cards
from bridgebench.benchmarks.crag.crag import crag
from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.benchmarks.longbench.longbench import longbench
from bridgebench.benchmarks.msmarco.msmarco import msmarco
from bridgebench.benchmarks.musique.musique import musique
from bridgebench.benchmarks.twowiki.twowiki import twowiki
from bridgebench.models.fake import fake
from bridgebench.models.local import local
from bridgebench.scorers.ambigqa_f1 import ambigqa_f1
from bridgebench.scorers.containment import containment
from bridgebench.scorers.context import context
from bridgebench.scorers.cost import cost
from bridgebench.scorers.judge import judge
from bridgebench.scorers.qa_f1 import qa_f1
from bridgebench.scorers.ranking import ranking
from bridgebench.scorers.roles import require_roles
from bridgebench.scorers.rouge_bleu import rouge_bleu
from bridgebench.scorers.utility import utility
from bridgebench.solvers.answer_directly import answer_directly
from bridgebench.solvers.bge_reranker import bge_reranker
from bridgebench.solvers.bm25_reranker import bm25_reranker
from bridgebench.solvers.compact import compact
from bridgebench.solvers.controls import naive, no_documents, shuffle, truncate
from bridgebench.solvers.embedding_reranker import embedding_reranker
from bridgebench.solvers.exit_compressor import exit_compressor
from bridgebench.solvers.llmlingua2 import llmlingua2
from bridgebench.solvers.precomputed import precomputed
from bridgebench.solvers.provence import provence
from bridgebench.solvers.r2u import r2u
from bridgebench.solvers.r2u_teacher import r2u_teacher
from bridgebench.solvers.rag import bridge_stage, registered_rag
from bridgebench.solvers.rank_gpt import rank_gpt
from bridgebench.solvers.rank_k import rank_k
from bridgebench.solvers.rank_zephyr import rank_zephyr
from bridgebench.solvers.recomp_abstractive import recomp_abstractive
from bridgebench.solvers.recomp_extractive import recomp_extractive
from bridgebench.solvers.refiner import refiner
from bridgebench.solvers.retrieval_bm25 import bm25
from bridgebench.solvers.summarize import summarize
from bridgebench.solvers.syntactic_reranker import syntactic_reranker

__all__ = [
    "ambigqa",
    "ambigqa_f1",
    "answer_directly",
    "arxiv_cards",
    "bge_reranker",
    "bm25",
    "bm25_reranker",
    "bridge_stage",
    "compact",
    "containment",
    "context",
    "cost",
    "crag",
    "embedding_reranker",
    "exit_compressor",
    "fake",
    "hotpotqa",
    "judge",
    "llmlingua2",
    "local",
    "longbench",
    "msmarco",
    "musique",
    "naive",
    "no_documents",
    "precomputed",
    "provence",
    "qa_f1",
    "r2u",
    "r2u_teacher",
    "rank_gpt",
    "rank_k",
    "rank_zephyr",
    "ranking",
    "recomp_abstractive",
    "recomp_extractive",
    "refiner",
    "registered_rag",
    "require_roles",
    "rouge_bleu",
    "shuffle",
    "summarize",
    "syntactic_reranker",
    "truncate",
    "twowiki",
    "utility",
]
