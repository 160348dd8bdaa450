"""Where training finds and keeps its files."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
# Checkpoints, the rendered pool, faces and the labels that models gave; training/work is ignored by git.
WORK = os.environ.get("PLATES_WORK", os.path.join(HERE, "work"))
