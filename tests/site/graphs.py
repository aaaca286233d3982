"""The graphs of the site are those that the driver draws.

usage: graphs.py DRIVER [--update]
"""
import os
import subprocess
import sys

folder = os.path.join("docs", "site", "graphs")
wrong = 0
for file in sorted(os.listdir(folder)):
    drawn = subprocess.run([sys.argv[1], "graph", file[:-4]], check=True, capture_output=True, text=True).stdout
    with open(os.path.join(folder, file), "w" if "--update" in sys.argv else "r", encoding="utf-8") as graph:
        if "--update" in sys.argv:
            graph.write(drawn)
        elif graph.read() != drawn:
            print(f"{folder}/{file} is not what the driver draws: run tests/site/graphs.py DRIVER --update")
            wrong = 1
sys.exit(wrong)
