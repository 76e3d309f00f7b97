"""`python -m campaign [NAME ...] [options]`: run parts of the campaign (all, or those named).

A run that is cut short, by its minutes or a kill, goes on when it is started again with the same seed on the same
commit. The exit status is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from campaign.driver import chosen_units, run_part, write_record
from campaign.part import Run
from campaign.parts import PARTS, part

FOLDER = Path(__file__).parents[1] / "build" / "campaign"


def arguments_of(words: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m campaign", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"out of: {', '.join(PARTS)}")
    parser.add_argument("--part", action="append", default=[], metavar="NAME", help="the same")
    parser.add_argument("--minutes", type=float, default=60.0, help="for each part (60)")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn by lot is drawn by it (1)")
    parser.add_argument(
        "--share", type=float, default=1.0, help="the part of the units that are done, above 0 and at most 1 (1)"
    )
    parser.add_argument("--peers", action="store_true", help="measure peers too, where a part has any")
    parser.add_argument("--fresh", action="store_true", help="begin anew, whatever an earlier run left behind")
    parser.add_argument("--no-record", action="store_true", help="leave campaign/record alone")
    parser.add_argument("--list", action="store_true", help="say what there is, and how many units each part has")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for state, corpora and what is built")
    chosen = parser.parse_args(words)
    unknown = [name for name in [*chosen.names, *chosen.part] if name not in PARTS]
    if unknown:
        parser.error(f"no part named {', '.join(unknown)}; there are {', '.join(PARTS)}")
    if not 0 < chosen.share <= 1:
        parser.error(f"--share is above 0 and at most 1, not {chosen.share}")
    return chosen


def main(words: list[str]) -> int:
    """Run from the command line; 0 if nothing was found."""
    chosen = arguments_of(words)
    n_found = 0
    for name in [*chosen.names, *chosen.part] or list(PARTS):
        run = Run(name, chosen.seed, chosen.folder / name, chosen.share, chosen.peers, chosen.minutes)
        run.folder.mkdir(parents=True, exist_ok=True)
        made = part(name)
        if chosen.list:
            print(f"{name:16} {len(list(made.units(run))):6} units  {made.title}")
            continue
        state = run_part(made, run, fresh=chosen.fresh)
        counts = ", ".join(f"{n} {what}" for what, n in sorted(state.counts.items()) if not what.endswith("]"))
        print(f"{name}: {state.position} units in {state.seconds / 60:.1f} min: {counts or 'nothing'}")
        print(
            f"{name}: {len(state.findings)} findings" + (f", in {run.folder}/findings.json" if state.findings else "")
        )
        if state.position and not chosen.no_record:
            write_record(run, state, len(chosen_units(made, run)))
        n_found += len(state.findings)
    return 1 if n_found else 0


if __name__ == "__main__":
    sys.exit(main([word for word in sys.argv[1:] if word]))
