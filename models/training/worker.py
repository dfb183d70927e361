"""One process of a training step: ``python -m bridgebench.models.training.worker sft RECIPE OUT``.

``accelerate launch`` starts it as well, on one machine or on several.
"""

import argparse
import logging
import os
import sys
from pathlib import Path

import torch
from rich.console import Console
from rich.markup import escape

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.guards import alone
from bridgebench.models.training.recipe import load_recipe
from bridgebench.models.training.steps import MODEL, folder_of


def main(argv: list[str] | None = None) -> int:
    """Run the step; an error of the user's is one message and exit status 2."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["sft", "dpo"])
    parser.add_argument("recipe")
    parser.add_argument("out", type=Path)
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.WARNING)
    try:
        with alone(folder_of(args.out, args.step), first=os.environ.get("RANK", "0") == "0"):
            _run(args.step, args.recipe, args.out)
    except BridgebenchError as error:
        Console(stderr=True).print(f"[bold red]error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        return 130
    finally:
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
    return 0


def _run(step: str, name: str, out: Path) -> None:
    recipe, folder = load_recipe(name), folder_of(out, step)
    if step == "sft":
        from bridgebench.models.training.sft import run_sft

        run_sft(recipe.sft, folder_of(out, "sft-data"), folder)
    else:
        from bridgebench.models.training.dpo import run_dpo

        run_dpo(recipe.dpo, folder_of(out, "sft") / MODEL, folder_of(out, "pairs"), folder)


if __name__ == "__main__":
    sys.exit(main())
