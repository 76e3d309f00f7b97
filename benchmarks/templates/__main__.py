"""`python -m benchmarks.templates [--sizes N,...] [--tasks NAME,...] [--without-linking] ...`: with its options."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import ahead, record, scaling, templates
from benchmarks.templates import old_peers
from benchmarks.templates.outlines import SIZES


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.templates", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of sections of the outlines")
    parser.add_argument("--tasks", default=",".join(templates.TASKS), help=f"out of: {', '.join(templates.TASKS)}")
    parser.add_argument("--without-linking", action="store_true", help="no instances, only what they are compared with")
    parser.add_argument("--without-memory", action="store_true", help="leave out what live requests keep")
    parser.add_argument("--without-old-peers", action="store_true", help="leave out XGrammar 0.1.18 and Outlines 0.2.3")
    parser.add_argument("--make-old-peers", metavar="FOLDER", type=Path, help="make their environments, and no more")
    parser.add_argument("--no-record", action="store_true", help="print only, leave benchmarks/record alone")
    given = parser.parse_args()
    if given.make_old_peers:
        old_peers.make(given.make_old_peers)
        return
    tasks = tuple(name.strip() for name in given.tasks.split(","))
    if unknown := set(tasks) - set(templates.TASKS):
        parser.error(f"no task named {', '.join(sorted(unknown))}; there are {', '.join(templates.TASKS)}")
    choice = templates.Choice(
        sizes=tuple(int(n) for n in given.sizes.split(",")),
        tasks=tasks,
        links=not given.without_linking,
        memory=not given.without_memory,
        old_peers=not given.without_old_peers,
    )
    of_all = templates.tables(templates.run(choice))
    for name, found in of_all.items():
        record.show(name, found)
        if not given.no_record:
            record.append(name, found)
    rows = of_all.get("templates", [])
    scaling.show(scaling.slopes("templates", rows, templates.GROWS, templates.SAME))
    ahead.show(ahead.compare("templates", rows, templates.SAME))


if __name__ == "__main__":
    main()
