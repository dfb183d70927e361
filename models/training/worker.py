"""One process of a training step: ``python -m bridgebench.models.training.worker sft RECIPE OUT``.

``accelerate launch`` starts it as well, on one machine or on several.
"""

import argparse
import logging
import sys
from pathlib import Path

import torch
from rich.console import Console
from rich.markup import escape

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.recipe import load_recipe
from bridgebench.models.training.steps import SFT_MODEL, folder_of


def main() -> int:
    """Run the step; an error of the user's is one message and exit status 2."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["sft", "dpo"])
    parser.add_argument("recipe")
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    recipe = load_recipe(args.recipe)
    try:
        if args.step == "sft":
            from bridgebench.models.training.sft import run_sft

            run_sft(recipe.sft, folder_of(args.out, "sft-data"), folder_of(args.out, "sft"))
        else:
            from bridgebench.models.training.dpo import run_dpo

            pairs, out = folder_of(args.out, "pairs"), folder_of(args.out, "dpo")
            run_dpo(recipe.dpo, folder_of(args.out, "sft") / SFT_MODEL, pairs, out)
    except BridgebenchError as error:
        Console(stderr=True).print(f"[bold red]error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        return 2
    finally:
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
