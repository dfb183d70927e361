"""``bridgebench train``: one step of a recipe, or all of them."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from bridgebench.errors import require
from bridgebench.models.training.recipe import load_recipe, packaged_recipes
from bridgebench.models.training.steps import STEPS, run_steps


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("step", choices=[*STEPS, "all"], help="what to run; what is done is not done again")
    parser.add_argument("recipe", help=f"a YAML file, or one of: {', '.join(packaged_recipes())}")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder with a subfolder for each step")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a key of the recipe")
    parser.add_argument("--forbid-leak", action="store_true", help="leave out rewrites that state an unseen answer")


def run(args: Namespace) -> int:
    """Run it; 0 when all that was asked for is done.

    Raises:
        BridgebenchError: When the recipe is wrong, or a step fails.
    """
    leak = ["sft_data.forbid_leak=true", "pairs.forbid_leak=true"] if args.forbid_leak else []
    recipe = load_recipe(args.recipe, [*args.set, *leak])
    require("trl", "train")
    run_steps(list(STEPS) if args.step == "all" else [args.step], recipe, args.output, Console(highlight=False))
    return 0
